import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { outsideCommands } from '../contract/commands.ts';
import { silentLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { loadSettings, SettingsError } from './loadSettings.ts';
import { mendSettings } from './mendSettings.ts';
import { SettingsStore } from './settingsStore.ts';
import { countStart, StartProof } from './startProof.ts';
import { UndoneSettings } from './undone.ts';

const OWNER = { isOwner: true };
const SECRET = 'a-secret-token-0123456789';

let dataDir = '';
const path = (name = 'settings.json') => join(dataDir, name);
const file = (tree: unknown) => writeFileSync(path(), typeof tree === 'string' ? tree : JSON.stringify(tree));
const onDisk = (name?: string): unknown => JSON.parse(readFileSync(path(name), 'utf8'));

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'faceplate-starts-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** A start of the panel, as the program makes it. */
function start(environment: NodeJS.ProcessEnv = {}) {
  mendSettings(dataDir);
  const loaded = loadSettings(['--dataDir', dataDir], environment, '1.0.0');
  countStart(loaded);
  const clock = new FakeClock();
  const restarts: number[] = [];
  const undone = new UndoneSettings(loaded.undone);
  const proof = new StartProof({
    loaded,
    undone,
    clock,
    log: silentLogger(),
    restart: () => restarts.push(clock.now()),
  });
  const store = new SettingsStore(loaded, silentLogger());
  proof.follow(store.now);
  store.onChange((keys) => undone.forget([...keys, 'settings.json']));
  store.onLive(() => proof.changed());
  return { loaded, settings: loaded.settings, clock, proof, undone, store, restarts };
}

/** A start that is ready and shows a picture. */
async function works(environment?: NodeJS.ProcessEnv) {
  const panel = start(environment);
  panel.proof.ready(true);
  panel.proof.pageIs('shown');
  await panel.proof.stop();
  return panel;
}

const named = (panel: ReturnType<typeof start>) => panel.undone.list().map(({ setting }) => setting);

describe('a start with settings that have not worked yet', () => {
  it('should take back after three failed ones what was new, and say so until somebody changes it', async () => {
    file({ kiosk: { browserArguments: ['--ozone-platform=x11'], url: 'http://a.lan/' } });
    await works();
    file({ kiosk: { browserArguments: ['--use-gl=egl'], url: 'http://a.lan/' }, board: 'none-such' });
    for (let failed = 0; failed < 3; failed++) {
      const panel = start();
      assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--use-gl=egl']);
      assert.deepEqual(named(panel), []);
      panel.proof.failed();
    }
    const panel = await works();
    assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--ozone-platform=x11']);
    assert.equal(panel.settings['kiosk.url'], 'http://a.lan/');
    assert.equal(panel.settings.board, 'auto');
    assert.deepEqual(named(panel), ['board', 'kiosk.browserArguments']);
    assert.match(panel.undone.list()[0]?.reason ?? '', /3 starts in a row/);
    assert.ok(!Number.isNaN(Date.parse(panel.undone.list()[0]?.at ?? '')));
    // What was wished stays in the file, and the panel goes on without it.
    assert.deepEqual((onDisk() as { board: string }).board, 'none-such');
    const next = await works();
    assert.deepEqual(named(next), ['board', 'kiosk.browserArguments']);
    assert.equal(next.undone.list()[0]?.at, panel.undone.list()[0]?.at);

    await next.store.change({ board: 'simulated' }, OWNER);
    assert.deepEqual(named(next), ['kiosk.browserArguments']);
    await next.store.change({ 'kiosk.browserArguments': null }, OWNER);
    assert.deepEqual(named(next), []);
    const last = start();
    assert.deepEqual(named(last), []);
    assert.equal(last.settings.board, 'simulated');
    assert.deepEqual(last.settings['kiosk.browserArguments'], []);
  });

  it('should try a value again that is set anew, by a caller or by hand', async () => {
    file({ board: 'none-such' });
    for (let failed = 0; failed < 3; failed++) start().proof.failed();
    const panel = start();
    assert.deepEqual(named(panel), ['board']);
    await panel.store.change({ board: 'none-such' }, OWNER);
    assert.equal(start().settings.board, 'none-such');
    for (let failed = 0; failed < 2; failed++) start().proof.failed();
    assert.equal(start().settings.board, 'auto');
    file({ board: 'another' });
    assert.equal(start().settings.board, 'another');
  });

  it('should count neither an end that somebody wants, nor one of a panel that worked', async () => {
    file({ board: 'one' });
    for (let ended = 0; ended < 9; ended++) start().proof.ended();
    assert.deepEqual(named(start()), []);
    await works();
    // Nothing has changed since: whatever ends it, there is nothing to take back.
    for (let crashed = 0; crashed < 9; crashed++) start();
    assert.equal(start().settings.board, 'one');
  });

  it('should be taken back at once where it is ready and shows nothing for 60 s', async () => {
    await works();
    file({ kiosk: { headless: true } });
    const panel = start();
    panel.proof.ready(true);
    panel.proof.pageIs('loading');
    await panel.clock.advance(59_999);
    assert.deepEqual(panel.restarts, []);
    await panel.clock.advance(1);
    assert.equal(panel.restarts.length, 1);
    panel.proof.ended();
    const next = start();
    assert.equal(next.settings['kiosk.headless'], 'auto');
    assert.deepEqual(named(next), ['kiosk.headless']);
    assert.match(next.undone.list()[0]?.reason ?? '', /no picture/);
    // The settings are those that worked: without a picture nothing more is to be done.
    next.proof.ready(true);
    await next.clock.advance(120_000);
    assert.deepEqual(next.restarts, []);
    assert.equal(next.clock.pending, 0);
  });

  it('should not be taken back for want of a picture where no settings are known to have worked', async () => {
    file({ kiosk: { headless: true } });
    const panel = start();
    panel.proof.ready(true);
    await panel.clock.advance(120_000);
    assert.deepEqual(panel.restarts, []);
    panel.proof.pageIs('shown');
    await panel.proof.stop();
    assert.deepEqual(onDisk('settings.good.json'), { kiosk: { headless: true } });
  });

  it('should work with ready alone where there is no page, and with a notice instead of the page', async () => {
    file({ board: 'one' });
    const headless = start();
    headless.proof.ready(false);
    await headless.proof.stop();
    assert.deepEqual(onDisk('settings.good.json'), { board: 'one' });
    file({ board: 'two' });
    const waiting = start();
    waiting.proof.pageIs('waiting');
    assert.deepEqual(onDisk('settings.good.json'), { board: 'one' });
    waiting.proof.ready(true);
    await waiting.proof.stop();
    assert.deepEqual(onDisk('settings.good.json'), { board: 'two' });
  });

  it('should take back how the screen is scaled and turned', async () => {
    const display = (zoom: number, rotation: number) =>
      writeFileSync(
        path('display.json'),
        JSON.stringify({ version: 1, value: { brightness: 40, zoom, rotation } }),
      );
    display(1.5, 90);
    await works();
    display(5, 180);
    for (let failed = 0; failed < 3; failed++) start().proof.failed();
    const panel = start();
    assert.deepEqual(named(panel), ['display.rotation', 'display.zoom']);
    assert.deepEqual(onDisk('display.json'), {
      version: 1,
      value: { brightness: 40, zoom: 1.5, rotation: 90 },
    });
    panel.undone.forget(['display.zoom']);
    assert.deepEqual(named(start()), ['display.rotation']);
  });

  it('should keep what was changed while the panel ran, once it did for a minute', async () => {
    const panel = await works();
    await panel.store.change({ 'kiosk.quietHour': 5, 'kiosk.headless': true }, OWNER);
    await panel.clock.advance(59_000);
    assert.deepEqual(onDisk('settings.good.json'), {});
    await panel.clock.advance(1_000);
    await panel.proof.stop();
    // The other one has its turn with the next start.
    assert.deepEqual(onDisk('settings.good.json'), { kiosk: { quietHour: 5 } });
  });

  it('should write nothing while nothing changes', async () => {
    await works();
    assert.deepEqual(readdirSync(dataDir), ['settings.good.json']);
    file({ board: 'one' });
    await works();
    const before = ['settings.good.json', 'starts.json'].map((name) => statSync(path(name)).mtimeMs);
    await works();
    await works();
    assert.deepEqual(
      ['settings.good.json', 'starts.json'].map((name) => statSync(path(name)).mtimeMs),
      before,
    );
  });

  it('should not take back what a flag or the environment holds, nor a settings file that only repeats it', async () => {
    file({ board: 'one' });
    for (let failed = 0; failed < 4; failed++) start({ FACEPLATE_BOARD: 'two' }).proof.failed();
    const panel = start({ FACEPLATE_BOARD: 'two' });
    assert.equal(panel.settings.board, 'two');
    assert.deepEqual(named(panel), []);
  });

  it('security: should bring back no rule of access, no secret and nothing that belongs to one', async () => {
    const before = {
      kiosk: {
        pin: '2580',
        logins: [{ origin: 'http://hub.lan', username: 'u', password: SECRET }],
        inject: [
          { origin: 'http://a.lan', js: 'a = 1' },
          { origin: 'http://b.lan', js: 'b = 1' },
        ],
      },
      bridge: { origins: ['http://old.lan'], allowInstall: true },
      http: { host: '0.0.0.0', allowedOrigins: ['http://old.lan'], allowedHosts: ['old.lan'] },
      mqtt: { url: 'mqtts://old.lan', password: SECRET, scopes: ['view', 'manage'], fleet: true },
      sip: { registrar: 'old.lan', password: SECRET, allowLan: true },
      update: { channel: 'http://old.lan/' },
    };
    file(before);
    await works();
    const wished = {
      kiosk: {
        pin: '1111',
        inject: [
          { origin: 'http://a.lan', js: 'a = 1' },
          { origin: 'http://c.lan', js: 'c = 1' },
        ],
        browserArguments: ['--use-gl=egl'],
      },
      terminal: { enabled: false },
      http: { host: '127.0.0.1' },
      approval: { commands: ['system.reboot'] },
    };
    file(wished);
    for (let failed = 0; failed < 3; failed++) start().proof.failed();
    const panel = start();
    assert.deepEqual(named(panel), ['kiosk.browserArguments', 'kiosk.inject']);
    const now = panel.settings;
    assert.equal(now['kiosk.pin'], '1111');
    assert.deepEqual(now['kiosk.logins'], []);
    // Neither what is new, nor what somebody has removed.
    assert.deepEqual(now['kiosk.inject'], [{ origin: 'http://a.lan', js: 'a = 1' }]);
    assert.deepEqual([now['bridge.origins'], now['bridge.allowInstall']], [[], false]);
    assert.equal(now['http.host'], '127.0.0.1');
    assert.deepEqual([now['http.allowedOrigins'], now['http.allowedHosts']], [[], []]);
    assert.deepEqual([now['mqtt.url'], now['mqtt.password'], now['mqtt.fleet']], ['', '', false]);
    assert.deepEqual([now['sip.registrar'], now['sip.password'], now['sip.allowLan']], ['', '', false]);
    assert.equal(now['update.channel'], '');
    assert.equal(now['terminal.enabled'], false);
    assert.deepEqual(now['approval.commands'], ['system.reboot']);
  });

  it('security: should keep the settings that worked as settings.json is kept, and name no value', async () => {
    file({ token: SECRET, kiosk: { pin: '2580' }, board: 'one' });
    await works();
    assert.equal(statSync(path('settings.good.json')).mode & 0o777, 0o600);
    assert.equal(statSync(path('starts.json')).mode & 0o777, 0o600);
    file({ token: SECRET, kiosk: { pin: '25', url: SECRET } });
    const panel = start();
    assert.deepEqual(named(panel), ['kiosk.pin', 'kiosk.url']);
    assert.ok(!JSON.stringify(panel.undone.list()).includes(SECRET));
    assert.ok(!readFileSync(path('starts.json'), 'utf8').includes(SECRET));
  });
});

describe('a value of settings.json that does not fit', () => {
  it('should not end the start, give way to the last that worked, else the default, and stay in the file', async () => {
    file({ kiosk: { quietHour: 5 }, 'log.level': 'warn' });
    await works();
    const tree = {
      kiosk: { quietHour: 55, zoom: 2 },
      log: { level: 'loud' },
      streams: { lingerSeconds: -1 },
    };
    file(tree);
    const panel = await works();
    assert.equal(panel.settings['kiosk.quietHour'], 5);
    assert.equal(panel.settings['log.level'], 'warn');
    assert.equal(panel.settings['streams.lingerSeconds'], 20);
    assert.deepEqual(named(panel), ['kiosk.quietHour', 'log.level', 'streams.lingerSeconds']);
    assert.match(panel.undone.list()[0]?.reason ?? '', /^does not fit: /);
    assert.partialDeepStrictEqual(panel.store.read().settings['kiosk.quietHour'], {
      value: 5,
      source: 'file',
    });
    await panel.store.change({ 'idle.dimTo': 20 }, OWNER);
    assert.deepEqual(onDisk(), { ...tree, idle: { dimTo: 20 } });
    await panel.store.change({ 'kiosk.quietHour': 6 }, OWNER);
    assert.equal(panel.store.now()['kiosk.quietHour'], 6);
    assert.deepEqual(named(panel), ['log.level', 'streams.lingerSeconds']);
    assert.equal(start().settings['kiosk.quietHour'], 6);
  });

  it('should lose of a list only what does not fit', () => {
    file({ kiosk: { browserArguments: ['--use-gl=egl', '--no-sandbox'] } });
    const panel = start();
    assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--use-gl=egl']);
    assert.deepEqual(named(panel), ['kiosk.browserArguments']);
    assert.ok(!JSON.stringify(panel.undone.list()).includes('use-gl'));
  });

  it('security: should open nothing that it may have closed', async () => {
    // As wide as it gets: a value that worked must not come back for one that nobody understands.
    file({
      http: { host: '0.0.0.0', allowedOrigins: ['http://old.lan'] },
      bridge: { allowInstall: true, origins: ['http://old.lan'] },
      mqtt: { scopes: ['view', 'terminal'], fleet: true },
      sip: { allowLan: true, autoAnswer: true, registrarServer: true },
      kiosk: { pin: '2580' },
    });
    await works();
    file({
      approval: { commands: 'system.reboot' },
      http: { host: '10.0.0.300', allowedOrigins: 'none' },
      bridge: { allowInstall: 'no', origins: {} },
      idle: { clearAtHome: 'yes' },
      mqtt: { scopes: 'view', fleet: 0 },
      sip: { allowLan: 'no', autoAnswer: 'no', registrarServer: 'no' },
      kiosk: { pin: 'secret' },
      terminal: { enabled: 'false' },
      wizard: 'no',
    });
    const { settings: now } = start();
    assert.deepEqual(now['approval.commands'], outsideCommands);
    assert.equal(now['http.host'], '127.0.0.1');
    assert.deepEqual([now['http.allowedOrigins'], now['bridge.origins'], now['mqtt.scopes']], [[], [], []]);
    for (const key of [
      'bridge.allowInstall',
      'mqtt.fleet',
      'sip.allowLan',
      'sip.autoAnswer',
      'sip.registrarServer',
      'terminal.enabled',
      'wizard',
    ] as const)
      assert.equal(now[key], false, key);
    assert.equal(now['idle.clearAtHome'], true);
    assert.equal(now['kiosk.pin'], '2580');
  });

  it('security: should leave no PIN open to choose where none is known', () => {
    file({ kiosk: { pin: 'secret' } });
    const pins = [1, 2].map(() => start().settings['kiosk.pin']);
    assert.match(pins[0] ?? '', /^\d{8}$/);
    assert.notEqual(pins[0], pins[1]);
  });

  it('should not excuse flags and environment, and then be named with their mistakes', () => {
    file({ kiosk: { quietHour: 55, no: 1 } });
    assert.throws(
      () => loadSettings(['--dataDir', dataDir, '--http.port', 'x'], {}, '1.0.0'),
      (error: unknown) => {
        assert.ok(error instanceof SettingsError);
        assert.match(error.message, /flag --http\.port: .*\n.*kiosk\.quietHour: .*\n.*kiosk\.no: no such/);
        return true;
      },
    );
  });

  it('security: should not take effect when it is written by hand while the panel runs', async () => {
    file({ terminal: { enabled: false } });
    const { store } = await works();
    file({ terminal: { enabled: 'yes' }, http: { allowedOrigins: '*' } });
    await store.change({ 'streams.lingerSeconds': 5 }, OWNER);
    assert.equal(store.now()['terminal.enabled'], false);
    assert.deepEqual(store.now()['http.allowedOrigins'], []);
  });
});

describe('a settings.json that nobody can read', () => {
  for (const [name, text] of [
    ['cut off', '{"terminal":{"ena'],
    ['no tree', '["a"]'],
  ] as const)
    it(`should give way to the last settings that worked and be kept beside them: ${name}`, async () => {
      file({ terminal: { enabled: false }, kiosk: { pin: '2580' } });
      await works();
      file(text);
      const panel = await works();
      assert.equal(panel.settings['terminal.enabled'], false);
      assert.equal(panel.settings['kiosk.pin'], '2580');
      assert.deepEqual(named(panel), ['settings.json']);
      const aside = readdirSync(dataDir).filter((file) => file.startsWith('settings.json.corrupt-'));
      assert.equal(readFileSync(path(aside[0]), 'utf8'), text);
      assert.deepEqual(named(await works()), ['settings.json']);
      await panel.store.change({ board: 'auto' }, OWNER);
      assert.deepEqual(named(panel), []);
      assert.deepEqual(named(start()), []);
    });

  it('security: should end the start where no settings are known: the defaults may be wider', () => {
    file('{"http":{"host":"127.0.');
    assert.throws(() => start(), /is not valid JSON/);
    writeFileSync(path('settings.good.json'), '{');
    assert.throws(() => start(), /is not valid JSON/);
    rmSync(path('settings.good.json'));
    assert.deepEqual(readdirSync(dataDir), ['settings.json']);
  });
});
