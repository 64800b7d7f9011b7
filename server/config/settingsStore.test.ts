import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import { scopes } from '../contract/access.ts';
import { commands } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadSettings } from './loadSettings.ts';
import { isOwnersAlone, type SettingKey, settingDeclarations } from './settings.ts';
import { SettingsStore } from './settingsStore.ts';

const OWNER = { isOwner: true };

const SECRET = 'a-secret-token-0123456789';

describe('settings over the API', () => {
  let dataDir: string;
  let path: string;
  before(() => {
    dataDir = temporaryFolder('settings');
    path = join(dataDir, 'settings.json');
  });
  beforeEach(() => rmSync(path, { force: true }));

  function make(file?: object, args: string[] = [], environment = {}): SettingsStore {
    if (file) writeFileSync(path, JSON.stringify(file));
    const loaded = loadSettings(['--dataDir', dataDir, ...args], environment, '0.0.0');
    return new SettingsStore(loaded, silentLogger());
  }
  const onDisk = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const refused =
    (code: string, ...words: string[]) =>
    (error: unknown) => {
      assert.ok(error instanceof FaceplateError, String(error));
      assert.equal(error.code, code);
      for (const word of words) assert.ok(error.message.includes(word), error.message);
      assert.ok(!error.message.includes(SECRET));
      return true;
    };

  test('should list every setting with value, default, source and description', () => {
    const store = make({ kiosk: { url: 'http://a.local/' } }, ['--http.port', '9000'], {
      FACEPLATE_LOG_LEVEL: 'warn',
    });
    const { settings, restartNeeded } = store.read();
    assert.deepEqual(Object.keys(settings), Object.keys(settingDeclarations));
    assert.deepEqual(restartNeeded, []);
    assert.deepEqual(settings['http.port'], {
      kind: 'integer',
      value: 9000,
      default: 8080,
      source: 'flag',
      description: settingDeclarations['http.port'].description,
    });
    const found = Object.entries(settings).map(([key, { source }]) => [key, source]);
    const sources = Object.fromEntries(found);
    assert.equal(sources['log.level'], 'environment');
    assert.equal(sources['kiosk.url'], 'file');
    assert.equal(sources.board, 'default');
    assert.ok(commands['settings.read'].result.safeParse(store.read()).success);
  });

  test('should never show a secret, only whether it is set', async () => {
    const { description } = settingDeclarations.token;
    assert.deepEqual(make().read().settings.token, {
      kind: 'text',
      set: false,
      source: 'default',
      description,
    });
    assert.deepEqual(make().read().settings['streams.logins'], {
      kind: 'json',
      set: false,
      source: 'default',
      description: settingDeclarations['streams.logins'].description,
    });
    const logins = [{ host: 'cam', user: 'u', password: SECRET }];
    const withLogins = make({ streams: { logins } });
    assert.equal((withLogins.read().settings['streams.logins'] as { set: boolean }).set, true);
    assert.ok(!JSON.stringify(withLogins.read()).includes(SECRET));
    const changed = await withLogins.change({ streams: { logins: [...logins, ...logins] } }, OWNER);
    assert.deepEqual(changed.restartNeeded, []);
    assert.ok(!JSON.stringify(changed).includes(SECRET));
    await assert.rejects(
      withLogins.change({ streams: { logins: [{ host: 'cam', [SECRET]: SECRET }] } }, OWNER),
      refused('INVALID_REQUEST', 'streams.logins'),
    );
    const store = make({ token: SECRET });
    assert.deepEqual(store.read().settings.token, { kind: 'text', set: true, source: 'file', description });
    assert.ok(!JSON.stringify(store.read()).includes(SECRET));
    assert.ok(!JSON.stringify(await store.change({ token: `${SECRET}x` }, OWNER)).includes(SECRET));
    await assert.rejects(
      store.change({ token: `${SECRET} with blanks` }, OWNER),
      refused('INVALID_REQUEST', 'token'),
    );
  });

  test('should list the values of a setting that allows only a few', () => {
    const { settings } = make().read();
    const choices = Object.entries(settings).flatMap(([key, entry]) =>
      'choices' in entry ? [[key, entry.choices] as const] : [],
    );
    assert.partialDeepStrictEqual(Object.fromEntries(choices), {
      'terminal.enabled': [true, false],
      'kiosk.headless': ['auto', true, false],
      'sip.transport': ['udp', 'tcp', 'tls'],
      'sip.srtpOverUdp': ['off', 'known', 'any'],
    });
    for (const key of ['kiosk.memoryLimit', 'kiosk.debugPort', 'board', 'sip.host', 'http.host'])
      assert.ok(!choices.some(([name]) => name === key), key);
  });

  test('should merge a part of the tree into the file, for the next start', async () => {
    const store = make({ kiosk: { url: 'http://a.local/' }, board: 'simulated' });
    const answer = await store.change({ http: { port: 8081 }, 'kiosk.headless': true, host: 'none' }, OWNER);
    assert.deepEqual(Object.keys(answer.settings).sort(), ['host', 'http.port', 'kiosk.headless']);
    assert.deepEqual(answer.restartNeeded, ['http.port', 'host', 'kiosk.headless']);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(onDisk(), {
      http: { port: 8081 },
      board: 'simulated',
      host: 'none',
      kiosk: { url: 'http://a.local/', headless: true },
    });
    const next = loadSettings(['--dataDir', dataDir], {}, '0.0.0').settings;
    assert.deepEqual([next['http.port'], next['kiosk.headless'], next.host], [8081, true, 'none']);
  });

  test('should restore the default for null', async () => {
    const store = make({ board: 'generic-linux', http: { port: 1 } });
    const { settings, restartNeeded } = await store.change({ board: null }, OWNER);
    assert.deepEqual(settings.board, {
      kind: 'text',
      value: 'auto',
      default: 'auto',
      source: 'default',
      description: settingDeclarations.board.description,
    });
    assert.deepEqual(restartNeeded, ['board']);
    assert.deepEqual(onDisk(), { http: { port: 1 } });
    assert.deepEqual((await store.change({ board: 'generic-linux' }, OWNER)).restartNeeded, []);
  });

  test('should report all mistakes at once, and then change nothing', async () => {
    const store = make({ board: 'simulated' });
    const wrong = JSON.parse(
      '{"http":{"port":"x","no":1},"host":"firefox","log":"loud","dataDir":"/","__proto__":{"a":1},"board":"auto"}',
    );
    await assert.rejects(
      store.change(wrong, OWNER),
      refused('INVALID_REQUEST', 'http.port:', 'http.no:', 'host:', 'log:', 'dataDir:', '__proto__:'),
    );
    assert.deepEqual(onDisk(), { board: 'simulated' });
  });

  test('should refuse a key that a flag or the environment holds, and then change nothing', async () => {
    const store = make(undefined, ['--http.port', '9000'], { FACEPLATE_BOARD: 'auto' });
    await assert.rejects(
      store.change({ http: { port: 1 }, board: 'simulated', host: 'none' }, OWNER),
      refused('CONFLICT', 'http.port (flag)', 'board (environment)'),
    );
    assert.throws(onDisk);
  });

  test('should keep manual edits made since the start, and refuse to overwrite a file with mistakes', async () => {
    const store = make();
    writeFileSync(path, '{"board":"simulated"}');
    await store.change({ host: 'none' }, OWNER);
    assert.deepEqual(onDisk(), { board: 'simulated', host: 'none' });
    writeFileSync(path, '{"board":');
    await assert.rejects(store.change({ host: 'auto' }, OWNER), refused('CONFLICT', 'not valid JSON'));
    assert.equal(readFileSync(path, 'utf8'), '{"board":');
  });

  test('should make concurrent changes one after the other', async () => {
    const store = make();
    await Promise.all([
      store.change({ board: 'a' }, OWNER),
      store.change({ host: 'none' }, OWNER),
      store.change({ board: 'b' }, OWNER),
    ]);
    assert.deepEqual(onDisk(), { board: 'b', host: 'none' });
  });

  test('should apply live settings at once, and list only the others as waiting for a restart', async () => {
    const store = make({ kiosk: { quietHour: 4 } }, ['--terminal.enabled', 'false']);
    const heard: (readonly string[])[] = [];
    store.onLive((changed) => heard.push(changed));
    const before = store.now();
    const { restartNeeded } = await store.change(
      {
        'streams.lingerSeconds': 5,
        kiosk: { quietHour: null, headless: true },
        'http.allowedOrigins': ['http://a.local'],
      },
      OWNER,
    );
    assert.deepEqual(restartNeeded, ['kiosk.headless']);
    assert.deepEqual(heard, [['http.allowedOrigins', 'kiosk.quietHour', 'streams.lingerSeconds']]);
    const now = store.now();
    assert.deepEqual(
      [
        now['streams.lingerSeconds'],
        now['kiosk.quietHour'],
        now['http.allowedOrigins'],
        now['kiosk.headless'],
      ],
      [5, 3, ['http://a.local'], 'auto'],
    );
    assert.equal(before['streams.lingerSeconds'], 20);
    assert.equal(now['terminal.enabled'], false);
    await store.change({ 'streams.lingerSeconds': 5, board: 'a' }, OWNER);
    assert.equal(heard.length, 1);
  });

  test('security: a live setting written to the file by hand has no effect before it is checked', async () => {
    const store = make();
    writeFileSync(path, '{"http":{"allowedOrigins":"*"},"terminal":{"enabled":"yes"}}');
    await store.change({ 'streams.lingerSeconds': 5 }, OWNER);
    assert.deepEqual(store.now()['http.allowedOrigins'], []);
    assert.equal(store.now()['terminal.enabled'], true);
  });

  test('security: should let nobody but the owner change a setting of the owner, neither set nor reset, and nothing else with them', async () => {
    const store = make();
    for (const change of [
      { token: 'another-token-of-16' },
      { terminal: { enabled: false } },
      { terminal: { enabled: null }, board: 'simulated' },
      { 'terminal.enabled': true, nonsense: 1 },
    ])
      await assert.rejects(
        store.change(change, { isOwner: false }),
        refused('FORBIDDEN', Object.hasOwn(change, 'token') ? 'token' : 'terminal.enabled'),
      );
    assert.equal(store.read().settings.board?.source, 'default');
    await store.change({ terminal: { enabled: false } }, OWNER);
    await store.change({ 'log.level': 'warn' }, { isOwner: false });
  });

  test('security: should let nobody but the owner change what lets code or a person in, and say it before', async () => {
    const store = make();
    const keys = (Object.keys(settingDeclarations) as SettingKey[]).filter(isOwnersAlone);
    assert.ok(keys.length > 25);
    for (const key of keys) {
      for (const value of [settingDeclarations[key].default, null, 'nonsense'])
        await assert.rejects(
          store.change({ 'log.level': 'warn', [key]: value }, { isOwner: false, scopes: [...scopes] }),
          { code: 'FORBIDDEN', field: key },
        );
      assert.equal(store.read({ isOwner: false }).settings[key]?.locked, true, key);
      assert.equal(store.read(OWNER).settings[key]?.locked, undefined, key);
    }
    const open = Object.entries(store.read({ isOwner: false }).settings).filter(([, { locked }]) => !locked);
    assert.equal(open.length, Object.keys(settingDeclarations).length - keys.length);
    assert.equal(store.read().settings['log.level']?.source, 'default');
    await store.change({ kiosk: { pin: '2580' } }, OWNER);
  });

  test('security: should take the first PIN, and nothing else of the owner, from who may set it, while he may', async () => {
    const store = make();
    const phone = {
      isOwner: false,
      scopes: ['manage'] as const,
      maySetFirstPin: () => store.now()['kiosk.pin'] === '',
    };
    const refusal = { code: 'FORBIDDEN', field: 'kiosk.user' };
    await assert.rejects(store.change({ kiosk: { pin: '2580', user: 'root' } }, phone), refusal);
    assert.equal(store.read(phone).settings['kiosk.pin']?.locked, undefined);
    const tries = [{ kiosk: { pin: '2580' } }, { kiosk: { pin: '1111' } }];
    const [first, second] = await Promise.allSettled(tries.map((change) => store.change(change, phone)));
    assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected']);
    assert.equal(store.now()['kiosk.pin'], '2580');
    await assert.rejects(store.change({ kiosk: { pin: null } }, phone), { field: 'kiosk.pin' });
    assert.equal(store.read(phone).settings['kiosk.pin']?.locked, true);
  });

  test('security: should take the debugging port from no caller, and pass it over in a file', async () => {
    const store = make({ kiosk: { debugPort: 9222, quietHour: 4 } });
    assert.equal(store.now()['kiosk.debugPort'], 'off');
    assert.equal(store.now()['kiosk.quietHour'], 4);
    await assert.rejects(
      store.change({ kiosk: { debugPort: 9222 } }, OWNER),
      refused('INVALID_REQUEST', 'kiosk.debugPort: can be set by the environment or a flag alone'),
    );
    assert.equal(make(undefined, [], { FACEPLATE_KIOSK_DEBUG_PORT: '0' }).now()['kiosk.debugPort'], 0);
  });

  test('security: should let nobody give callers on a broker a scope that he lacks', async () => {
    const store = make();
    const changer = { isOwner: false, scopes: ['manage', 'view', 'control'] as const };
    await store.change({ mqtt: { url: 'mqtt://house' } }, changer);
    await store.change({ mqtt: { scopes: ['view', 'doors'] } }, OWNER);
    for (const change of [{ url: 'mqtt://else' }, { url: null }])
      await assert.rejects(
        store.change({ mqtt: change }, changer),
        (error: { code?: string; field?: string; message?: string }) =>
          error.code === 'FORBIDDEN' && error.field === 'mqtt.url' && /"doors"/.test(error.message ?? ''),
      );
    await store.change({ mqtt: { scopes: ['view', 'manage'] } }, OWNER);
    await store.change({ mqtt: { url: 'mqtt://else' } }, changer);
  });

  test('should refuse in approval.commands what nobody can call from outside, in words', async () => {
    const store = make();
    for (const name of ['system.explode', 'settingsPage.unlock', 'sip.answer', 'pairing.finish'])
      await assert.rejects(
        store.change({ approval: { commands: ['system.reboot', name] } }, OWNER),
        refused(
          'INVALID_REQUEST',
          'approval.commands: 1: must be the name of a command that is called over HTTP',
        ),
      );
    await store.change({ approval: { commands: ['system.reboot', 'gpio.write'] } }, OWNER);
    assert.deepEqual(store.now()['approval.commands'], ['system.reboot', 'gpio.write']);
  });

  test('security: should count as the settings of the owner: token, approval.*, https.*, http.plain, ir.itachPort, streams.talkFromAfar and terminal.*', () => {
    const owners = Object.entries(settingDeclarations).flatMap(([key, setting]) =>
      'owner' in setting ? [key] : [],
    );
    const keys = Object.keys(settingDeclarations);
    assert.deepEqual(
      owners.sort(),
      keys
        .filter((key) =>
          /^(token$|approval\.|https\.|http\.plain$|ir\.itachPort$|streams\.talkFromAfar$|terminal\.)/.test(
            key,
          ),
        )
        .sort(),
    );
  });
});
