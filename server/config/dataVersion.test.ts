import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadSettings, noteDataVersion, readDataVersion } from './loadSettings.ts';
import { ignoredKeys, readSettingsFile, type SettingsStep, treeOf } from './settingsFile.ts';
import { SettingsStore } from './settingsStore.ts';

const OWNER = { isOwner: true };

const SECRET = 'hunter2';

let dataDir = '';
let path = '';
beforeEach(() => {
  dataDir = temporaryFolder('data-version');
  path = join(dataDir, 'settings.json');
});

const load = (version: string, args: string[] = [], environment: NodeJS.ProcessEnv = {}) =>
  loadSettings(['--dataDir', dataDir, ...args], environment, version);
const onDisk = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
const versionFile = () => readFileSync(join(dataDir, 'version'), 'utf8');

describe('the version of a data folder', () => {
  it('should name the latest version that ever wrote, for the service only', async () => {
    for (const [ours, named] of [
      ['0.2.0', '0.2.0'],
      ['0.10.0-rc.1', '0.10.0-rc.1'],
      ['0.9.0', '0.10.0-rc.1'],
      ['0.10.0', '0.10.0'],
    ] as const) {
      await noteDataVersion(dataDir, ours, silentLogger());
      assert.equal(versionFile(), `${named}\n`);
    }
    assert.equal(statSync(join(dataDir, 'version')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dataDir), ['version']);
    assert.deepEqual(readDataVersion(dataDir, '0.9.9'), { version: '0.10.0', isLater: true });
    assert.deepEqual(readDataVersion(dataDir, '0.10.0'), { version: '0.10.0', isLater: false });
  });

  it('should be none when the file is missing or names none', async () => {
    const none = { version: undefined, isLater: false };
    assert.deepEqual(readDataVersion(dataDir, '0.1.0'), none);
    for (const text of ['', 'later', '9', '9.9.9\n8.8.8']) {
      writeFileSync(join(dataDir, 'version'), text);
      assert.deepEqual(readDataVersion(dataDir, '0.1.0'), none, text);
    }
    await noteDataVersion(dataDir, '0.1.0', silentLogger());
    assert.equal(versionFile(), '0.1.0\n');
  });

  it('should not prevent the start when it cannot be written', async () => {
    mkdirSync(join(dataDir, 'version'));
    await noteDataVersion(dataDir, '0.1.0', silentLogger());
    assert.deepEqual(readdirSync(dataDir), ['version']);
  });
});

describe('settings that a later version wrote', () => {
  const later = {
    kiosk: { quietHour: 4, zoom: 2, url: 5 },
    'knx.password': SECRET,
    http: { host: '127.0.0.1', port: { from: 8080 } },
    sip: { password: [SECRET], ring: { loud: SECRET } },
    log: 'all',
    dataDir: '/elsewhere',
  };
  const ignored = [
    'http.port',
    'kiosk.url',
    'sip.password',
    'kiosk.zoom',
    'knx.password',
    'sip.ring',
    'log',
    'dataDir',
  ];
  beforeEach(() => {
    writeFileSync(path, JSON.stringify(later));
    writeFileSync(join(dataDir, 'version'), '0.9.0\n');
  });

  it('should be used if they are known and fit, and be listed if not', () => {
    const { settings, sources, file, data } = load('0.8.9');
    assert.deepEqual(data, { version: '0.9.0', isLater: true });
    assert.equal(settings['kiosk.quietHour'], 4);
    assert.equal(settings['http.host'], '127.0.0.1');
    assert.equal(settings['http.port'], 8080);
    assert.equal(sources['http.port'], 'default');
    assert.deepEqual(ignoredKeys(file).sort(), [...ignored].sort());
  });

  it('should be passed over in the same way if the version is ours, or none is known', () => {
    for (const version of ['0.9.0', undefined]) {
      if (version === undefined) rmSync(join(dataDir, 'version'));
      const { settings, file } = load('0.9.0');
      assert.equal(settings['kiosk.quietHour'], 4);
      assert.deepEqual(ignoredKeys(file).sort(), [...ignored].sort());
    }
  });

  it('should not excuse mistakes in flags and the environment', () => {
    assert.throws(() => load('0.8.0', ['--kiosk.zoom', '2']), /flag --kiosk\.zoom: no such setting/);
    assert.throws(() => load('0.8.0', [], { FACEPLATE_HTTP_PORT: 'x' }), /FACEPLATE_HTTP_PORT/);
    writeFileSync(path, '{"kiosk":');
    assert.throws(() => load('0.8.0'), /is not valid JSON/);
  });

  it('security: should be listed without their values', () => {
    writeFileSync(path, JSON.stringify({ ...later, streams: { logins: [{ host: SECRET }] } }));
    const names = JSON.stringify(ignoredKeys(load('0.8.0').file));
    assert.match(names, /streams\.logins/);
    assert.ok(!names.includes(SECRET), names);
  });

  it('should stay in the file when a setting is changed', async () => {
    const store = new SettingsStore(load('0.8.0'), silentLogger());
    await store.change({ kiosk: { quietHour: 5 }, 'streams.lingerSeconds': 7 }, OWNER);
    assert.deepEqual(onDisk(), {
      ...later,
      kiosk: { ...later.kiosk, quietHour: 5 },
      streams: { lingerSeconds: 7 },
    });
    assert.equal(store.now()['kiosk.quietHour'], 5);
    const { settings, restartNeeded } = store.read();
    assert.deepEqual(restartNeeded, []);
    assert.partialDeepStrictEqual(settings['http.port'], { value: 8080, source: 'default' });
    assert.deepEqual(load('0.8.0').settings['kiosk.quietHour'], 5);
  });

  it('should be replaced when the same setting is changed or reset', async () => {
    const store = new SettingsStore(load('0.8.0'), silentLogger());
    await store.change({ http: { port: 8081 }, 'kiosk.url': null, 'log.level': 'warn' }, OWNER);
    const { url: _url, ...kiosk } = later.kiosk;
    assert.deepEqual(onDisk(), {
      ...later,
      kiosk,
      http: { host: '127.0.0.1', port: 8081 },
      log: { level: 'warn' },
    });
    assert.equal(load('0.8.0').settings['http.port'], 8081);
  });

  it('should end the start when the whole file is something else', () => {
    writeFileSync(path, '["a"]');
    assert.throws(() => load('0.8.0'), /must hold a JSON object/);
  });
});

describe('steps of settings.json', () => {
  const steps: readonly SettingsStep[] = [
    {
      version: '0.2.0',
      change: (values) => {
        const old = values.get('kiosk.quiet');
        if (values.delete('kiosk.quiet')) values.set('kiosk.quietHour', old);
        return values;
      },
    },
    {
      version: '0.3.0',
      change: (values) => {
        values.delete('knx');
        return values;
      },
    },
  ];
  const read = (isOwn = true) => {
    const mistakes: string[] = [];
    return { file: readSettingsFile(path, { isOwn, mistakes, steps }), mistakes };
  };

  it('should convert old keys to the current ones, in order, whichever version wrote them', () => {
    const text = '{"kiosk":{"quiet":5,"url":"http://a.local/"},"knx":{"a":1},"board":"simulated"}';
    writeFileSync(path, text);
    for (const isOwn of [false, true]) {
      const { file, mistakes } = read(isOwn);
      assert.deepEqual(mistakes, []);
      assert.deepEqual(treeOf(file), {
        kiosk: { quietHour: 5, url: 'http://a.local/' },
        board: 'simulated',
      });
      assert.deepEqual(file.migrated, { text, since: ['0.2.0', '0.3.0'] });
    }
    assert.equal(readFileSync(path, 'utf8'), text, 'the file is written with the next change');
  });

  it('should leave a file alone that needs no step, and report its mistakes as usual', () => {
    writeFileSync(path, '{"kiosk":{"quietHour":5,"no":1}}');
    const { file, mistakes } = read(false);
    assert.equal(file.migrated, undefined);
    assert.deepEqual(mistakes, [`${path}: kiosk.no: no such setting`]);
    rmSync(path);
    assert.deepEqual(read(), {
      mistakes: [],
      file: { layer: new Map(), unfit: new Map(), unknown: [], migrated: undefined },
    });
  });

  it('should keep a copy before the file is written', async () => {
    const text = '{"kiosk":{"quiet":5}}';
    writeFileSync(path, text);
    writeFileSync(join(dataDir, 'version'), '0.1.0\n');
    const loaded = loadSettings(['--dataDir', dataDir], {}, '0.3.0', steps);
    const store = new SettingsStore(loaded, silentLogger(), steps);
    assert.equal(store.now()['kiosk.quietHour'], 5);
    await store.change({ board: 'simulated' }, OWNER);
    assert.deepEqual(onDisk(), { kiosk: { quietHour: 5 }, board: 'simulated' });
    assert.equal(readFileSync(`${path}.v0.1.0`, 'utf8'), text);
    await store.change({ board: 'auto' }, OWNER);
    assert.deepEqual(readdirSync(dataDir).sort(), ['settings.json', 'settings.json.v0.1.0', 'version']);
  });
});
