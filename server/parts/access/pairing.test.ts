import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Scope, scopes } from '../../contract/access.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { tokensCommands } from './contract.ts';
import { Pairing } from './pairing.ts';

const owner = { id: 'owner', name: 'owner', scopes };
const from = '192.168.1.30';
let clock = new FakeWallClock('2026-11-22T08:00:00Z');
let pairing = new Pairing({ clock, panelUrl: () => 'http://10.0.0.5:8080' });
beforeEach(() => {
  clock = new FakeWallClock('2026-11-22T08:00:00Z');
  pairing = new Pairing({ clock, panelUrl: () => 'http://10.0.0.5:8080' });
});

const take = (code: string, address = from) => pairing.take(code, address, () => {});
const wrongOf = (code: string) => (code === '00000000' ? '00000001' : '00000000');
const fails = (code: string) => (error: unknown) => (error as { code: string }).code === code;
const refused = (code: string, digits: string, address = from) =>
  assert.throws(() => take(digits, address), fails(code));

describe('the pairing code', () => {
  test('should be 8 digits in the address of the panel, for ten minutes', () => {
    const begun = pairing.begin(owner);
    assert.match(begun.code, /^\d{8}$/);
    assert.equal(begun.url, `http://10.0.0.5:8080/manage/#pair=${begun.code}`);
    assert.equal(begun.expiresAt, '2026-11-22T08:10:00.000Z');
    const ofSetup = pairing.begin(owner, true);
    assert.equal(ofSetup.url, `http://10.0.0.5:8080/manage/?setup#pair=${ofSetup.code}`);
    assert.ok(tokensCommands['pairing.start'].result.parse(begun));
  });

  test('security: should give view, control and manage, and of them what its maker holds', () => {
    assert.deepEqual(take(pairing.begin(owner).code).scopes, ['view', 'control', 'manage']);
    const held: Scope[] = ['manage', 'terminal', 'view'];
    const maker = { id: 'x', name: 'x', scopes: held };
    assert.deepEqual(take(pairing.begin(maker).code), {
      maker,
      scopes: ['view', 'manage'],
      isFromSetup: false,
    });
  });

  test('security: should work once, for ten minutes, and until the next one is made', async () => {
    const first = pairing.begin(owner).code;
    take(first);
    refused('UNAUTHORIZED', first);
    const second = pairing.begin(owner).code;
    await clock.advance(10 * 60_000 - 1);
    const third = pairing.begin(owner).code;
    if (second !== third) refused('UNAUTHORIZED', second);
    await clock.advance(10 * 60_000);
    refused('UNAUTHORIZED', third);
  });

  test('security: should expire while the panel sleeps, and when the clock is set back', async () => {
    const asleep = pairing.begin(owner).code;
    clock.jump(10 * 60_000);
    refused('UNAUTHORIZED', asleep);
    const setBack = pairing.begin(owner).code;
    clock.jump(-3_600_000);
    await clock.advance(10 * 60_000);
    refused('UNAUTHORIZED', setBack);
  });

  test('security: should lock an address out for a minute after five wrong ones, for the right code too', async () => {
    const { code } = pairing.begin(owner);
    for (let i = 0; i < 5; i++) refused('UNAUTHORIZED', wrongOf(code));
    refused('RATE_LIMITED', wrongOf(code));
    refused('RATE_LIMITED', code, `::ffff:${from}`);
    await clock.advance(59_999);
    refused('RATE_LIMITED', code);
    await clock.advance(1);
    assert.ok(take(code));
  });

  test('security: should not count wrong ones that are more than a minute old', async () => {
    const { code } = pairing.begin(owner);
    for (let i = 0; i < 4; i++) refused('UNAUTHORIZED', wrongOf(code));
    await clock.advance(60_000);
    for (let i = 0; i < 4; i++) refused('UNAUTHORIZED', wrongOf(code));
    assert.ok(take(code));
  });

  /** So many wrong ones, four from each address, which locks none out. */
  const tryWrong = (code: string, times: number) => {
    for (let i = 0; i < times; i++)
      refused('UNAUTHORIZED', wrongOf(code), `10.0.${Math.floor(i / 4 / 250)}.${Math.floor(i / 4) % 250}`);
  };

  test('security: should end after 500 wrong ones, from wherever they come; the next one counts anew', async () => {
    const { code } = pairing.begin(owner);
    tryWrong(code, 499);
    assert.ok(take(code));
    await clock.advance(60_000);
    const again = pairing.begin(owner).code;
    tryWrong(again, 500);
    refused('UNAUTHORIZED', again);
    assert.ok(take(pairing.begin(owner).code));
  });

  test('security: should be followed by another where it is shown, after 500 wrong ones and after its time', async () => {
    const glass = { id: 'panel', name: 'panel', scopes };
    const first = pairing.begin(glass);
    assert.deepEqual(pairing.shown(glass), { code: first, usedBy: null, isTried: false });
    tryWrong(first.code, 500);
    const second = pairing.shown(glass).code;
    assert.notEqual(second?.code, first.code);
    assert.equal(second?.expiresAt, '2026-11-22T08:10:00.000Z');
    assert.deepEqual(pairing.shown(glass).code, second);
    assert.ok(take(second!.code, '192.168.1.31'));
    await clock.advance(600_000);
    const third = pairing.begin(glass);
    await clock.advance(600_000);
    const fourth = pairing.shown(glass, { isForSetup: true }).code;
    assert.equal(fourth?.expiresAt, '2026-11-22T08:30:00.000Z');
    refused('UNAUTHORIZED', third.code);
    assert.equal(take(fourth!.code).isFromSetup, true);
  });

  test('security: should not be followed by another where it was used, or another caller has made one', () => {
    const glass = { id: 'panel', name: 'panel', scopes };
    take(pairing.begin(glass).code);
    assert.equal(pairing.shown(glass).code, null);
    pairing.begin(glass);
    const { code } = pairing.begin(owner);
    assert.equal(pairing.shown(glass).code, null);
    tryWrong(code, 500);
    assert.equal(pairing.shown(glass).code, null, 'it is not the glass that shows it');
    assert.ok(pairing.shown(owner).code);
    pairing.endOf(owner);
    assert.equal(pairing.shown(owner).code, null);
  });

  test('should be made where it is drawn, and say who has used it until there is another', () => {
    const glass = { id: 'panel', name: 'panel', scopes };
    assert.deepEqual(pairing.shown(glass), { code: null, usedBy: null, isTried: false });
    const first = pairing.shown(glass, { renew: true, isForSetup: true }).code!;
    assert.deepEqual(pairing.shown(glass, { renew: true }).code, first, 'the same while it is valid');
    assert.equal(pairing.take(first.code, from, () => {}, 'phone').isFromSetup, true);
    assert.deepEqual(pairing.shown(glass), { code: null, usedBy: 'phone', isTried: false });
    assert.equal(pairing.shown(owner).usedBy, null);
    const second = pairing.shown(glass, { renew: true });
    assert.notEqual(second.code?.code, first.code);
    assert.equal(second.usedBy, null);
  });

  test('security: should say that somebody tries codes, while it happens, and of no slip', async () => {
    const { code } = pairing.begin(owner);
    const isTried = () => pairing.shown(owner).isTried;
    for (let i = 0; i < 2; i++) refused('UNAUTHORIZED', wrongOf(code));
    assert.equal(isTried(), false);
    await clock.advance(30_000);
    refused('UNAUTHORIZED', wrongOf(code), '10.0.0.1');
    assert.equal(isTried(), true);
    await clock.advance(30_000);
    assert.equal(isTried(), false);
    // Who has to wait, and goes on, tries codes as well.
    for (let i = 0; i < 5; i++) refused('UNAUTHORIZED', wrongOf(code));
    await clock.advance(50_000);
    for (let i = 0; i < 3; i++) assert.throws(() => pairing.mustNotWait(from), fails('RATE_LIMITED'));
    await clock.advance(20_000);
    assert.equal(isTried(), true);
    await clock.advance(60_000);
    assert.equal(isTried(), false);
  });

  test('security: should end with the token of its maker', () => {
    const maker = { id: 'x', name: 'x', scopes };
    const { code } = pairing.begin(maker);
    pairing.endOf({ ...maker, id: 'y' });
    pairing.endOf(maker);
    refused('UNAUTHORIZED', code);
  });

  test('should stay when it cannot be used now', () => {
    const { code } = pairing.begin(owner);
    const full = () => {
      throw new Error('full');
    };
    assert.throws(() => pairing.take(code, from, full), /full/);
    assert.ok(take(code));
  });

  test('should be refused by its form when it is not 8 digits', () => {
    const { params } = tokensCommands['pairing.finish'];
    for (const code of ['', '1234567', '123456789', '1234567a', ' 12345678', '１２３４５６７８', 12_345_678])
      assert.ok(!params.safeParse({ code, name: 'x' }).success, String(code));
    assert.ok(params.safeParse({ code: '01234567', name: 'x' }).success);
  });
});
