import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadSettings, SettingsError, takeReplayFlags } from './loadSettings.ts';
import { environmentName } from './settings.ts';
import { loadToken } from './token.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = temporaryFolder('settings');
});

const load = (args: string[] = [], environment: NodeJS.ProcessEnv = {}) =>
  loadSettings(['--dataDir', dataDir, ...args], environment, '0.0.0').settings;
const file = (tree: unknown) =>
  writeFileSync(join(dataDir, 'settings.json'), typeof tree === 'string' ? tree : JSON.stringify(tree));

function mistakesOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.mistakes;
  }
  assert.fail('no mistake was found');
}

describe('settings', () => {
  it('security: should refuse browser switches that weaken the wall at the start, each with its sentence', () => {
    const given = ['--use-gl=egl', '--no-sandbox', '--enable-features=MediaRouter'];
    const environment = { FACEPLATE_KIOSK_BROWSER_ARGUMENTS: JSON.stringify(given) };
    const mistakes = mistakesOf(() => load([], environment));
    assert.match(mistakes.join(), /BROWSER_ARGUMENTS: 1: --no-sandbox is none of the switches/);
    assert.deepEqual(
      load([], { FACEPLATE_KIOSK_BROWSER_ARGUMENTS: '["--use-gl=egl"]' })['kiosk.browserArguments'],
      ['--use-gl=egl'],
    );
  });

  it('should refuse injected text that is no script, or ends its function', () => {
    const entry = (js: string) => ({
      FACEPLATE_KIOSK_INJECT: JSON.stringify([{ origin: 'http://a.lan', js }]),
    });
    for (const js of ['(', '}); alert(1); (function () {', 'return return'])
      assert.equal(mistakesOf(() => load([], entry(js))).length, 1, js);
    assert.equal(load([], entry('window.a = 1; // end'))['kiosk.inject'].length, 1);
  });

  it('should have the defaults of the contract', () => {
    const settings = load();
    assert.equal(settings['http.host'], '0.0.0.0');
    assert.equal(settings['http.port'], 8080);
    assert.equal(settings.board, 'auto');
    assert.equal(settings['kiosk.debugPort'], 'off');
    assert.equal(settings['kiosk.user'], 'faceplate-kiosk');
    assert.equal(settings['streams.lingerSeconds'], 20);
  });

  it('should take an empty variable as a value where empty means something, else as none', () => {
    const environment = { FACEPLATE_MQTT_DISCOVERY: '', FACEPLATE_HTTP_PORT: '', FACEPLATE_NO_SUCH: '' };
    assert.equal(load([], environment)['mqtt.discovery'], '');
    assert.equal(load([], environment)['http.port'], 8080);
    assert.equal(load([])['mqtt.discovery'], 'homeassistant');
  });

  it('should let a flag beat the environment, and the environment the file', () => {
    file({ http: { port: 1, host: '127.0.0.1' }, bridge: { aliases: ['a'] } });
    const environment = { FACEPLATE_HTTP_PORT: '2', FACEPLATE_BRIDGE_ALIASES: 'b, c' };
    assert.equal(load([], {})['http.port'], 1);
    assert.equal(load([], environment)['http.port'], 2);
    assert.equal(load(['--http.port', '3'], environment)['http.port'], 3);
    assert.equal(load(['--http.port=4'], environment)['http.port'], 4);
    assert.deepEqual(load([], environment)['bridge.aliases'], ['b', 'c']);
    assert.deepEqual(load(['--bridge.aliases', '["d"]'], environment)['bridge.aliases'], ['d']);
    assert.equal(load([], environment)['http.host'], '127.0.0.1');
  });

  it('should read switches, even without a value', () => {
    assert.equal(load(['--kiosk.headless'])['kiosk.headless'], true);
    assert.equal(load(['--kiosk.headless', 'false'])['kiosk.headless'], false);
    assert.equal(load(['--kiosk.headless', 'auto'])['kiosk.headless'], 'auto');
    assert.equal(load(['--terminal.enabled=false'])['terminal.enabled'], false);
  });

  it('should name environment variables as documented', () => {
    assert.equal(environmentName('http.port'), 'FACEPLATE_HTTP_PORT');
    assert.equal(environmentName('kiosk.debugPort'), 'FACEPLATE_KIOSK_DEBUG_PORT');
    assert.equal(environmentName('dataDir'), 'FACEPLATE_DATA_DIR');
  });

  it('should report every mistake of every source at once, each with its place', () => {
    file({ http: { port: 'x', colour: 1 }, nothing: {}, dataDir: '/x' });
    const mistakes = mistakesOf(() =>
      load(['--http.port', '70000', '--token', 'abc', '--wrong', 'x', '--board'], {
        FACEPLATE_HOST: 'firefox',
        FACEPLATE_HTTP_PROT: '1',
        FACEPLATE_TERMINAL_ENABLED: 'maybe',
      }),
    ).join('\n');
    for (const place of [
      /settings\.json: http\.port: /,
      /settings\.json: http\.colour: no such setting/,
      /settings\.json: nothing: no such setting/,
      /settings\.json: dataDir: /,
      /flag --http\.port: /,
      /flag --token: secrets are not taken as flags; use FACEPLATE_TOKEN/,
      /flag --wrong: no such setting/,
      /flag --board: needs a value/,
      /environment FACEPLATE_HOST: /,
      /environment FACEPLATE_HTTP_PROT: no such setting/,
      /environment FACEPLATE_TERMINAL_ENABLED: /,
    ]) {
      assert.match(mistakes, place);
    }
    assert.equal(mistakes.split('\n').length, 11);
    assert.doesNotMatch(mistakes, /abc/, 'a secret given by mistake is not repeated');
  });

  it('should report a settings file that is not JSON, or not an object', () => {
    file('{');
    assert.match(mistakesOf(load)[0] ?? '', /is not valid JSON/);
    file('[1]');
    assert.match(mistakesOf(load)[0] ?? '', /must hold a JSON object/);
  });
});

describe('token', () => {
  it('should be made once, 32 random bytes, readable by the service only', () => {
    loadToken(dataDir, '');
    const path = join(dataDir, 'token');
    const text = readFileSync(path, 'utf8').trim();
    assert.equal(Buffer.from(text, 'base64url').length, 32);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const again = loadToken(dataDir, '');
    assert.equal(readFileSync(path, 'utf8').trim(), text);
    assert.ok(again.matches(text));
    assert.ok(!again.matches(`${text}x`));
    assert.ok(!again.matches(''));
  });

  it('should be the one of the settings when that is set', () => {
    const token = loadToken(dataDir, 'given-by-environment');
    assert.ok(token.matches('given-by-environment'));
    assert.throws(() => statSync(join(dataDir, 'token')), { code: 'ENOENT' });
  });
});

describe('settings that are JSON', () => {
  const logins = [{ host: 'cam', port: 554, user: 'u', password: 's3cret,x' }];

  it('should be read from file and environment', () => {
    file({ projects: { parameters: { lobby: 'room=12' } }, streams: { logins } });
    assert.deepEqual(load()['projects.parameters'], { lobby: 'room=12' });
    assert.deepEqual(load()['streams.logins'], logins);
    const environment = {
      FACEPLATE_PROJECTS_PARAMETERS: '{"demo":"a=1&b=2"}',
      FACEPLATE_STREAMS_LOGINS: JSON.stringify([{ host: '::1', user: 'v', password: '' }]),
      FACEPLATE_STREAMS_UDP_HOSTS: '10.0.0.5, cam.local',
      FACEPLATE_KIOSK_PARAMETERS: 'lang=de',
    };
    const settings = load([], environment);
    assert.deepEqual(settings['projects.parameters'], { demo: 'a=1&b=2' });
    assert.deepEqual(settings['streams.logins'], [{ host: '::1', user: 'v', password: '' }]);
    assert.deepEqual(settings['streams.udpHosts'], ['10.0.0.5', 'cam.local']);
    assert.equal(settings['kiosk.parameters'], 'lang=de');
  });

  it('security: should be refused without repeating their content, and secret ones never be taken as flags', () => {
    const wrong = [
      's3cret',
      '[{"host":"cam","user":"u","password":"s3cret"',
      '[{"host":"cam","password":"s3cret"}]',
      '[{"host":"cam","user":"u","password":"s3cret","s3cret":1}]',
      '[{"host":"u:s3cret@cam","user":"u","password":""}]',
      '{"cam":"s3cret"}',
    ];
    for (const text of wrong) {
      const mistakes = mistakesOf(() => load([], { FACEPLATE_STREAMS_LOGINS: text })).join('\n');
      assert.match(mistakes, /^environment FACEPLATE_STREAMS_LOGINS: /, text);
      assert.doesNotMatch(mistakes, /s3cret/, text);
    }
    const flag = mistakesOf(() => load(['--streams.logins', '[{"password":"s3cret"}]'])).join('\n');
    assert.match(flag, /secrets are not taken as flags/);
    assert.doesNotMatch(flag, /s3cret/);
    for (const text of ['?a=1', 'a=1#b', 'a b', 'é'])
      mistakesOf(() => load([], { FACEPLATE_KIOSK_PARAMETERS: text }));
  });
});

it('should take the flags of a replay out of the command line', () => {
  assert.deepEqual(
    takeReplayFlags(['--host', 'none', '--replay', 'a.ndjson', '--speed', '2.5', '--http.port=1']),
    {
      args: ['--host', 'none', '--http.port=1'],
      replay: { path: 'a.ndjson', speed: 2.5 },
    },
  );
  assert.deepEqual(takeReplayFlags(['--speed=10', '--replay=b=c.ndjson']), {
    args: [],
    replay: { path: 'b=c.ndjson', speed: 10 },
  });
  assert.deepEqual(takeReplayFlags(['--host', 'none']), { args: ['--host', 'none'], replay: undefined });
});

it('should name each mistake in the flags of a replay', () => {
  const mistakes = (...args: string[]) => {
    try {
      takeReplayFlags(args);
    } catch (error) {
      return (error as SettingsError).mistakes;
    }
    return [];
  };
  assert.deepEqual(mistakes('--replay'), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--replay', '--speed', '2'), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--replay='), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--speed', '2'), ['flag --speed: belongs to --replay']);
  for (const speed of ['0', '-1', 'fast', '1001', 'NaN', 'Infinity'])
    assert.deepEqual(mistakes('--replay', 'a', '--speed', speed), [
      'flag --speed: must be a number from 0.1 to 1000',
    ]);
});
