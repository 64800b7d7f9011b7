import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, it } from 'node:test';
import { outsideCommands } from '../../contract/commands.ts';
import { loadSettings, SettingsError } from '../loadSettings.ts';
import { named, PanelFolder } from '../testing/panelStart.ts';

const OWNER = { isOwner: true };

let folder: PanelFolder;
beforeEach(() => {
  folder = new PanelFolder();
});

describe('a value of settings.json that does not fit', () => {
  it('should not end the start, give way to the last that worked, else the default, and stay in the file', async () => {
    folder.file({ kiosk: { quietHour: 5 }, 'log.level': 'warn' });
    await folder.works();
    const tree = {
      kiosk: { quietHour: 55, zoom: 2 },
      log: { level: 'loud' },
      streams: { lingerSeconds: -1 },
    };
    folder.file(tree);
    const panel = await folder.works();
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
    assert.deepEqual(folder.onDisk(), { ...tree, idle: { dimTo: 20 } });
    await panel.store.change({ 'kiosk.quietHour': 6 }, OWNER);
    assert.equal(panel.store.now()['kiosk.quietHour'], 6);
    assert.deepEqual(named(panel), ['log.level', 'streams.lingerSeconds']);
    assert.equal(folder.start().settings['kiosk.quietHour'], 6);
  });

  it('should lose of a list only what does not fit', () => {
    folder.file({ kiosk: { browserArguments: ['--use-gl=egl', '--no-sandbox'] } });
    const panel = folder.start();
    assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--use-gl=egl']);
    assert.deepEqual(named(panel), ['kiosk.browserArguments']);
    assert.ok(!JSON.stringify(panel.undone.list()).includes('use-gl'));
  });

  it('security: should open nothing that it may have closed', async () => {
    // As wide as it gets: a value that worked must not come back for one that nobody understands.
    folder.file({
      http: { host: '0.0.0.0', allowedOrigins: ['http://old.lan'] },
      bridge: { allowInstall: true, origins: ['http://old.lan'] },
      mqtt: { scopes: ['view', 'terminal'], fleet: true },
      sip: { allowLan: true, autoAnswer: true, registrarServer: true },
      kiosk: { pin: '2580' },
    });
    await folder.works();
    folder.file({
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
    const { settings: now } = folder.start();
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
    folder.file({ kiosk: { pin: 'secret' } });
    const pins = [1, 2].map(() => folder.start().settings['kiosk.pin']);
    assert.match(pins[0] ?? '', /^\d{8}$/);
    assert.notEqual(pins[0], pins[1]);
  });

  it('should not excuse flags and environment, and then be named with their mistakes', () => {
    folder.file({ kiosk: { quietHour: 55, no: 1 } });
    assert.throws(
      () => loadSettings(['--dataDir', folder.dataDir, '--http.port', 'x'], {}, '1.0.0'),
      (error: unknown) => {
        assert.ok(error instanceof SettingsError);
        assert.match(error.message, /flag --http\.port: .*\n.*kiosk\.quietHour: .*\n.*kiosk\.no: no such/);
        return true;
      },
    );
  });

  it('security: should not take effect when it is written by hand while the panel runs', async () => {
    folder.file({ terminal: { enabled: false } });
    const { store } = await folder.works();
    folder.file({ terminal: { enabled: 'yes' }, http: { allowedOrigins: '*' } });
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
      folder.file({ terminal: { enabled: false }, kiosk: { pin: '2580' } });
      await folder.works();
      folder.file(text);
      const panel = await folder.works();
      assert.equal(panel.settings['terminal.enabled'], false);
      assert.equal(panel.settings['kiosk.pin'], '2580');
      assert.deepEqual(named(panel), ['settings.json']);
      const aside = readdirSync(folder.dataDir).filter((file) => file.startsWith('settings.json.corrupt-'));
      assert.equal(readFileSync(folder.path(aside[0]), 'utf8'), text);
      assert.deepEqual(named(await folder.works()), ['settings.json']);
      await panel.store.change({ board: 'auto' }, OWNER);
      assert.deepEqual(named(panel), []);
      assert.deepEqual(named(folder.start()), []);
    });

  it('security: should end the start where no settings are known: the defaults may be wider', () => {
    folder.file('{"http":{"host":"127.0.');
    assert.throws(() => folder.start(), /is not valid JSON/);
    writeFileSync(folder.path('settings.good.json'), '{');
    assert.throws(() => folder.start(), /is not valid JSON/);
    rmSync(folder.path('settings.good.json'));
    assert.deepEqual(readdirSync(folder.dataDir), ['settings.json']);
  });
});
