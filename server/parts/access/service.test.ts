import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Scope, scopes } from '../../contract/access.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { tokensCommands } from './contract.ts';
import { AccessService } from './service.ts';
import type { Holder } from './tokenList.ts';

const START = '2026-11-22T08:00:00.000Z';
const OWNER_TOKEN = 'the-token-of-the-owner';
const OWNER: Holder = { id: 'owner', name: 'owner', scopes };
const from = '192.168.1.30';

let dataDir = '';
let clock = new FakeWallClock(START);
let ended: Holder[] = [];
let access: AccessService;
const path = () => join(dataDir, 'tokens.json');

function make(): AccessService {
  const owner = {
    matches: (token: string) => token === OWNER_TOKEN,
    madeAt: Date.parse('2026-01-01T00:00:00Z'),
  };
  const onEnded = (holder: Holder) => ended.push(holder);
  return new AccessService({
    owner,
    dataDir,
    clock,
    onEnded,
    panelUrl: () => 'http://p:80',
    log: silentLogger(),
  });
}

beforeEach(async () => {
  dataDir = temporaryFolder('tokens');
  clock = new FakeWallClock(START);
  ended = [];
  access = make();
  await access.start();
});
afterEach(async () => {
  await access.stop();
  assert.equal(clock.pending, 0);
});

const create = (name = 'house', wanted: Scope[] = ['view'], expiresAt?: string) =>
  access.create({ name, scopes: wanted, ...(expiresAt !== undefined && { expiresAt }) }, OWNER);
const revoke = (id: string, { keepChildren = false, isOwner = true } = {}) =>
  access.revoke({ id, keepChildren }, isOwner);
/** Somebody with a token of these scopes. @param giver who made it */
const holder = async (held: readonly Scope[], giver = OWNER, name = 'x'): Promise<Holder> =>
  access.identify((await access.create({ name, scopes: [...held] }, giver)).token, from)!;
const code = (wanted: string, sentence = /./) => ({ code: wanted, message: sentence });
const inTokens = async () => JSON.parse(await readFile(path(), 'utf8')) as { value?: unknown };

describe('named tokens', () => {
  test('should be shown once, open what they were given, and survive a restart', async () => {
    const made = await create('lights', ['control', 'view', 'control']);
    assert.deepEqual(
      { ...made, id: '', token: '' },
      { id: '', name: 'lights', scopes: ['view', 'control'], token: '' },
    );
    assert.match(made.token, /^[\w-]{43}$/);
    assert.match(made.id, /^[0-9a-f]{16}$/);
    await access.stop();
    access = make();
    await access.start();
    const holder = access.identify(made.token, from);
    assert.deepEqual(holder, { id: made.id, name: 'lights', scopes: ['view', 'control'] });
    assert.equal(access.identify(made.token, from), holder, 'one object for one token');
    assert.equal(access.identify(`${made.token.slice(0, -1)}!`, from), undefined);
    assert.equal(access.identify(made.id, from), undefined);
  });

  test('security: should be on disk as SHA-256 only, in a file of mode 0600, and in no answer after the first', async () => {
    const { token } = await create();
    const text = await readFile(path(), 'utf8');
    assert.ok(!text.includes(token));
    assert.equal((await stat(path())).mode & 0o777, 0o600);
    const listed = JSON.stringify(access.list());
    assert.ok(!listed.includes(token));
    assert.ok(!listed.includes('hash'));
    assert.ok(tokensCommands['token.list'].result.parse(access.list()));
    const [, hash] = /"hash":"([^"]+)"/.exec(text)!;
    assert.equal(access.identify(hash!, from), undefined, 'the digest of a token opens nothing');
  });

  test('should be listed with the owner first, and with times', async () => {
    const { id } = await create('house', ['view'], '2026-11-22T09:00:00Z');
    assert.deepEqual(access.list().tokens, [
      {
        id: 'owner',
        name: 'owner',
        scopes,
        commands: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        by: null,
        expiresAt: null,
        lastUsedAt: null,
        lastAddress: null,
      },
      {
        id,
        name: 'house',
        scopes: ['view'],
        commands: null,
        createdAt: START,
        by: 'owner',
        expiresAt: '2026-11-22T09:00:00.000Z',
        lastUsedAt: null,
        lastAddress: null,
      },
    ]);
  });

  test('should tell their last use at once, and write it once a minute at most and at the stop', async () => {
    const { token } = await create();
    const before = await readFile(path(), 'utf8');
    await clock.advance(5_000);
    access.identify(token, '::ffff:192.168.1.30');
    access.identify(OWNER_TOKEN, '127.0.0.1');
    const used = { lastUsedAt: '2026-11-22T08:00:05.000Z', lastAddress: '192.168.1.30' };
    const [owner, named] = access.list().tokens;
    assert.deepEqual({ lastUsedAt: named?.lastUsedAt, lastAddress: named?.lastAddress }, used);
    assert.equal(owner?.lastAddress, '127.0.0.1');
    await clock.advance(59_000);
    assert.equal(await readFile(path(), 'utf8'), before);
    access.identify(token, '192.168.1.31');
    await clock.advance(1_000);
    await access.stop();
    const written = JSON.stringify(await inTokens());
    assert.ok(written.includes('192.168.1.31'));
    access = make();
    await access.start();
    assert.equal(access.list().tokens[1]?.lastAddress, '192.168.1.31');
    access.identify(token, '192.168.1.32');
    await access.stop();
    assert.ok(JSON.stringify(await inTokens()).includes('192.168.1.32'));
  });

  test('security: should be 64 at most, also when all are asked for at once; expired ones make room', async () => {
    const first = await create('first', ['view'], '2026-11-22T08:00:10Z');
    const results = await Promise.allSettled(Array.from({ length: 64 }, () => create()));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(refused.length, 1);
    await assert.rejects(create(), code('CONFLICT', /64/));
    assert.equal(access.list().tokens.length, 65);
    await clock.advance(10_000);
    await create('65th');
    assert.equal(access.list().tokens.length, 65);
    assert.ok(access.list().tokens.every(({ id }) => id !== first.id));
    await assert.rejects(create(), code('CONFLICT'));
  });

  test('security: should take names of 1 to 64 characters, without control characters', () => {
    const { params } = tokensCommands['token.create'];
    const isTaken = (name: unknown) => params.safeParse({ name, scopes: ['view'] }).success;
    for (const name of ['x', 'x'.repeat(64), '🚪'.repeat(64), '<b>']) assert.ok(isTaken(name), String(name));
    for (const name of ['', '  ', 'x'.repeat(65), '🚪'.repeat(65), 'a\nb', '\u0085', 1, null])
      assert.ok(!isTaken(name), JSON.stringify(name));
    assert.ok(!params.safeParse({ name: 'x', scopes: [] }).success);
    assert.ok(!params.safeParse({ name: 'x', scopes: ['owner'] }).success);
    assert.ok(
      !params.safeParse({ name: 'x', scopes: ['view'], expiresAt: '2027-01-01T00:00:00+01:00' }).success,
    );
  });

  test('security: should give only scopes that the giver holds, and name the one that is lacking', async () => {
    const giver = await holder(['manage', 'view']);
    await assert.rejects(
      access.create({ name: 'n', scopes: ['view', 'terminal'] }, giver),
      code('FORBIDDEN', /"terminal"/),
    );
    assert.deepEqual((await access.create({ name: 'n', scopes: ['manage'] }, giver)).scopes, ['manage']);
  });

  test('security: should open single commands that its maker may call, and have no scopes', async () => {
    const give = (commands: readonly string[], giver: Holder = OWNER) =>
      access.create({ name: 'shades', commands: [...commands] }, giver);
    const made = await give(['led.color', 'page.show', 'led.color']);
    assert.deepEqual(made.scopes, []);
    const shades = access.identify(made.token, from)!;
    const named = { id: made.id, name: 'shades', scopes: [], commands: ['led.color', 'page.show'] };
    assert.deepEqual(shades, named);
    assert.deepEqual(access.list().tokens.at(-1)?.commands, ['led.color', 'page.show']);
    assert.ok(tokensCommands['token.list'].result.parse(access.list()));
    // Nobody gives more than they may call: neither by scopes nor with single commands.
    const viewer = await holder(['view', 'manage']);
    await assert.rejects(
      give(['page.state', 'led.color', 'terminal.exec'], viewer),
      code('FORBIDDEN', /led\.color/),
    );
    assert.deepEqual((await give(['page.state', 'token.list'], viewer)).scopes, []);
    await assert.rejects(give(['page.show', 'page.home'], shades), code('FORBIDDEN', /page\.home/));
    await assert.rejects(
      access.create({ name: 'n', scopes: ['control'] }, shades),
      code('FORBIDDEN', /"control"/),
    );
    assert.deepEqual((await give(['page.show'], shades)).scopes, []);
    for (const names of [['led.colour'], ['toString'], ['led.color', 'serial.typed'], ['']])
      await assert.rejects(give(names), { code: 'INVALID_REQUEST', field: 'commands' }, names.join());
    // What it is survives a restart, and a code that its holder makes gives the same.
    await access.stop();
    access = make();
    await access.start();
    assert.deepEqual(access.identify(made.token, from), named);
    const { code: digits } = access.startPairing(access.identify(made.token, from)!);
    const paired = await access.finishPairing({ code: digits, name: 'phone' }, from);
    assert.deepEqual(access.identify(paired.token, from)?.commands, named.commands);
  });

  test('should be made of exactly one of scopes and commands', () => {
    const { params } = tokensCommands['token.create'];
    const fieldOf = (given: object) => params.safeParse({ name: 'x', ...given }).error?.issues[0]?.path[0];
    assert.equal(fieldOf({ commands: ['led.on'] }), undefined);
    assert.equal(fieldOf({}), 'scopes');
    for (const given of [
      { commands: [] },
      { commands: Array(65).fill('led.on') },
      { commands: 'led.on' },
      { scopes: ['view'], commands: ['led.on'] },
    ])
      assert.equal(fieldOf(given), 'commands', JSON.stringify(given));
  });

  test('security: should be refused once revoked, when it is on disk, and their holder is told about', async () => {
    const { id, token } = await create();
    const holder = access.identify(token, from);
    assert.deepEqual(await revoke(id), { status: 'revoked', revoked: [id] });
    assert.equal(access.identify(token, from), undefined);
    assert.equal(ended[0], holder);
    assert.ok(!(await readFile(path(), 'utf8')).includes(id));
    await assert.rejects(revoke(id), code('NOT_FOUND'));
    await assert.rejects(revoke('owner'), code('FORBIDDEN'));
    assert.equal(ended.length, 1);
  });

  test('security: should be refused from expiresAt on, which ends what is open within a second', async () => {
    await assert.rejects(create('n', ['view'], '2026-11-22T07:59:59Z'), { field: 'expiresAt' });
    await assert.rejects(create('n', ['view'], START), code('INVALID_REQUEST'));
    const { token } = await create('n', ['view'], '2026-11-22T08:00:01.5Z');
    const holder = access.identify(token, from);
    await clock.advance(1_499);
    assert.ok(access.identify(token, from));
    await clock.advance(1);
    assert.equal(access.identify(token, from), undefined);
    await clock.advance(1_000);
    assert.deepEqual(ended, [holder]);
    await clock.advance(5_000);
    assert.equal(ended.length, 1);
    clock.jump(-3_600_000);
    await clock.advance(1_000);
    assert.notEqual(access.identify(token, from), holder, 'valid again, but for nothing that was open');
    clock.jump(3_600_000);
    await clock.advance(1_000);
    assert.equal(ended.length, 2, 'also when the clock was set');
  });

  test('security: should end what the old token of the owner let in when the owner takes another', async () => {
    const before = access.identify(OWNER_TOKEN, from);
    access.ownerChanged();
    assert.deepEqual(ended, [before]);
    assert.notEqual(access.identify(OWNER_TOKEN, from), before);
  });

  test('security: should be gone, not open, when their file cannot be read', async () => {
    const { token } = await create();
    await access.stop();
    await writeFile(path(), '{"tokens":[{"id":"x"}]}');
    access = make();
    await access.start();
    assert.equal(access.identify(token, from), undefined);
    assert.equal(access.list().tokens.length, 1);
  });
});

describe('tokens and who made them', () => {
  /** A phone of the owner's, what it made and paired, and what those made; and another phone. */
  async function family() {
    const phone = await holder(['manage', 'view'], OWNER, 'phone');
    const child = await holder(['manage', 'view'], phone, 'child');
    const { code: digits } = access.startPairing(child);
    const { id: grandchild, token } = await access.finishPairing({ code: digits, name: 'grandchild' }, from);
    const other = await holder(['manage'], OWNER, 'other');
    return {
      phone,
      child,
      grandchild: access.identify(token, from)!,
      other,
      ids: [phone.id, child.id, grandchild],
    };
  }
  const makers = () => Object.fromEntries(access.list().tokens.map(({ name, by }) => [name, by]));

  test('security: should end with the token that they were made with, paired ones too, and what they have open', async () => {
    const { phone, child, grandchild, other, ids } = await family();
    assert.deepEqual(await revoke(phone.id, { isOwner: false }), { status: 'revoked', revoked: ids });
    assert.deepEqual(ended, [phone, child, grandchild]);
    assert.deepEqual(
      access.list().tokens.map(({ id }) => id),
      ['owner', other.id],
    );
    const text = await readFile(path(), 'utf8');
    for (const id of ids) assert.ok(!text.includes(id));
  });

  test('security: should end after a restart as well', async () => {
    const { phone, ids } = await family();
    await access.stop();
    access = make();
    await access.start();
    assert.deepEqual((await revoke(phone.id)).revoked, ids);
  });

  test('security: should stay where the owner says so, and nobody else', async () => {
    const { phone, child, grandchild, other } = await family();
    await assert.rejects(revoke(phone.id, { keepChildren: true, isOwner: false }), {
      code: 'FORBIDDEN',
      field: 'keepChildren',
    });
    assert.deepEqual(ended, []);
    assert.deepEqual((await revoke(child.id, { keepChildren: true })).revoked, [child.id]);
    assert.deepEqual(ended, [child]);
    // It hangs on whoever made the one between.
    assert.deepEqual(makers(), { owner: null, phone: 'owner', grandchild: phone.id, other: 'owner' });
    assert.deepEqual((await revoke(phone.id)).revoked, [phone.id, grandchild.id]);
    assert.deepEqual(
      access.list().tokens.map(({ id }) => id),
      ['owner', other.id],
    );
  });

  test('security: should end with a maker whose expired child between them made room', async () => {
    const phone = await holder(['manage'], OWNER, 'phone');
    const until = '2026-11-22T08:00:10Z';
    const between = await access.create({ name: 'between', scopes: ['manage'], expiresAt: until }, phone);
    const last = await holder(['manage'], access.identify(between.token, from)!, 'last');
    await clock.advance(11_000);
    for (let made = 0; access.list().tokens.some(({ name }) => name === 'between'); made++) {
      assert.ok(made < 64);
      await create('filler');
    }
    assert.equal(makers().last, phone.id);
    assert.deepEqual((await revoke(phone.id)).revoked, [phone.id, last.id]);
  });

  test('security: should not be made with a token that is revoked at the same moment', async () => {
    const maker = await holder(['manage', 'view']);
    const { code: digits } = access.startPairing(maker);
    const results = await Promise.allSettled([
      revoke(maker.id),
      access.create({ name: 'late', scopes: ['view'] }, maker),
      access.finishPairing({ code: digits, name: 'late' }, from),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    assert.deepEqual(Object.keys(makers()), ['owner']);
  });

  test('should take a file of before: nobody knows who made those', async () => {
    const { token, id } = await create('old', ['manage']);
    await access.stop();
    const { value } = (await inTokens()) as { value: { tokens: { by?: string }[] } };
    for (const one of value.tokens) delete one.by;
    await writeFile(path(), JSON.stringify(value));
    access = make();
    await access.start();
    assert.deepEqual(makers(), { owner: null, old: null });
    const child = await holder(['manage'], access.identify(token, from)!, 'child');
    assert.deepEqual((await revoke(id)).revoked, [id, child.id]);
  });

  test('should stay valid with a name that is not free any more', async () => {
    const { token } = await create('old', ['manage']);
    await access.stop();
    await writeFile(path(), (await readFile(path(), 'utf8')).replace('"old"', '"owner"'));
    access = make();
    await access.start();
    assert.equal(access.identify(token, from)?.name, 'owner');
  });
});

describe('pairing', () => {
  test('should give a token that works, with the scopes of view, control and manage that its maker holds', async () => {
    const giver = await holder(['manage', 'terminal']);
    const { code: digits } = access.startPairing(giver);
    const made = await access.finishPairing({ code: digits, name: 'phone' }, from);
    assert.deepEqual([made.name, made.scopes], ['phone', ['manage']]);
    assert.equal(access.identify(made.token, from)?.id, made.id);
    await assert.rejects(access.finishPairing({ code: digits, name: 'again' }, from), code('UNAUTHORIZED'));
  });

  test('security: should end with the token of its maker, revoked or expired, and with the old one of the owner', async () => {
    const maker = async (expiresAt?: string) => {
      const { token } = await create('maker', ['manage'], expiresAt);
      return access.identify(token, from)!;
    };
    const refused = async (digits: string) =>
      assert.rejects(access.finishPairing({ code: digits, name: 'n' }, from), code('UNAUTHORIZED'));
    const revoked = await maker();
    const first = access.startPairing(revoked).code;
    await revoke(revoked.id);
    await refused(first);
    const second = access.startPairing(await maker('2026-11-22T08:00:05Z')).code;
    await clock.advance(6_000);
    await refused(second);
    const third = access.startPairing(access.identify(OWNER_TOKEN, from)!).code;
    access.ownerChanged();
    await refused(third);
  });

  test('security: should remember which token the code of the first set-up made, and tell no other', async () => {
    const finish = async (digits: string) =>
      (await access.finishPairing({ code: digits, name: 'n' }, from)).token;
    const ofSetup = await finish(access.startPairing(OWNER, true).code);
    const ofOwner = await finish(access.startPairing(OWNER).code);
    const child = await finish(access.startPairing(access.identify(ofSetup, from)!).code);
    const named = (await access.create({ name: 'n', scopes: ['manage'] }, access.identify(ofSetup, from)!))
      .token;
    await access.stop();
    access = make();
    await access.start();
    const known = [ofSetup, ofOwner, child, named, OWNER_TOKEN];
    assert.deepEqual(
      known.map((token) => access.identify(token, from)?.isFromSetup),
      [true, undefined, undefined, undefined, undefined],
    );
    assert.ok(tokensCommands['token.list'].result.parse(access.list()));
  });

  test('should keep the code while there are 64 tokens', async () => {
    const made = await Promise.all(Array.from({ length: 64 }, () => create()));
    const finish = { code: access.startPairing(OWNER).code, name: 'phone' };
    await assert.rejects(access.finishPairing(finish, from), code('CONFLICT'));
    await revoke(made[0]!.id);
    assert.ok(await access.finishPairing(finish, from));
  });
});
