import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadSettings } from '../server/config/loadSettings.ts';
import type { Settings } from '../server/config/settings.ts';
import { PAGE_SWITCHES } from '../server/platform/browserArguments.ts';
import { temporaryFolder } from '../server/testing/temporaryFolder.ts';
import { prepareApp, removeStaleSocket, splitArguments } from './prepareApp.ts';
import { FakeApp } from './testing/fakeApp.ts';

let dataDir: string;
before(() => {
  dataDir = temporaryFolder('prepare');
});

function prepared(settings: object = {}, app = new FakeApp()): FakeApp {
  prepareApp(app.real, { dataDir, ...settings } as Settings);
  return app;
}

describe('what Electron needs before it is ready (over a double of Electron)', () => {
  test('security: enableSandbox is called for the whole app, before it is ready', () => {
    const app = prepared();
    assert.equal(app.calls[0], 'enableSandbox');
    assert.ok(!app.calls.some((call) => /no-sandbox|fake-device|disable-web-security/.test(call)));
    assert.equal(app.listeners.count('window-all-closed'), 1);
  });

  test('security: it does not run where something switched the sandbox off', () => {
    const app = new FakeApp();
    app.given.set('no-sandbox', '');
    assert.throws(() => prepared({}, app), /never runs without the sandbox/);
    assert.equal(app.calls.includes('lock'), false);
  });

  test('security: a second instance does not run on the same data folder (requestSingleInstanceLock)', () => {
    const app = Object.assign(new FakeApp(), { isFirst: false });
    assert.throws(() => prepared({}, app), new RegExp(`runs already on the data folder ${dataDir}`));
  });

  test('should keep profile and lock below the data folder, before the lock is taken, under its own name', () => {
    const app = prepared();
    const folder = join(dataDir, 'electron');
    assert.deepEqual([app.name, app.paths.get('userData')], ['Faceplate', folder]);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.ok(app.calls.indexOf('userData') < app.calls.indexOf('lock'));
  });

  test('should start with the switches of the Chromium host and what the settings add', () => {
    const app = new FakeApp();
    app.given.set('enable-features', 'Vulkan');
    prepared(
      {
        'kiosk.secureOrigins': ['http://a.lan', 'http://b.lan'],
        'kiosk.browserArguments': ['--use-gl=egl', '--enable-features=A', '--enable-features=B'],
        'kiosk.userAgent': 'Panel/1',
      },
      app,
    );
    for (const call of [
      'hide-scrollbars',
      'unsafely-treat-insecure-origin-as-secure=http://a.lan,http://b.lan',
      'use-gl=egl',
      'enable-features=Vulkan,A,B',
      ...PAGE_SWITCHES.map((text) => text.slice(2)),
    ])
      assert.ok(app.calls.includes(call), call);
    assert.equal(app.userAgentFallback, 'Mozilla/5.0 Panel/1');
    assert.ok(!prepared({ 'kiosk.scrollbars': true }).calls.includes('hide-scrollbars'));
  });
});

describe("Electron's command line", () => {
  const script = 'dist/electron/main.js';
  const split = (...rest: string[]) => splitArguments(['/opt/electron', script, ...rest], false);

  test("should leave Chromium's switches to Chromium, before and after the script, and take the rest", () => {
    assert.deepEqual(split('--ozone-platform=x11', '--http.port', '0', '--disable-gpu', '--host=electron'), [
      '--http.port',
      '0',
      '--host=electron',
    ]);
    const before = ['/opt/electron', '-r', '/tmp/loader.js', '--disable-gpu', script, '--version'];
    assert.deepEqual(splitArguments(before, false), ['--version']);
    assert.deepEqual(splitArguments(['/opt/faceplate', '--use-gl=egl', '--log.level', 'debug'], true), [
      '--log.level',
      'debug',
    ]);
    assert.deepEqual(splitArguments(['/opt/electron'], false), []);
  });

  test('should leave what is nearly a setting to the settings, which say what is wrong', () => {
    for (const wrong of ['--http-port=80', '--datadir=/tmp', '--log-level', '--httpPort=1', 'http://a/'])
      assert.deepEqual(split(wrong), [wrong]);
  });

  test('security: it refuses switches with one dash, which Chromium reads as well', () => {
    const bad = '-alsa-output-device=file:FILE=|id,FORMAT=raw';
    assert.throws(() => splitArguments(['/opt/electron', bad, script], false), /is no switch such as/);
    assert.throws(() => loadSettings(split(bad), {}, '0.1.0'), /no such setting/);
    assert.throws(() => loadSettings(splitArguments(['/opt/faceplate', bad], true), {}, '0.1.0'), /no such/);
  });

  for (const bad of [
    '--no-sandbox',
    '--disable-web-security',
    '--remote-debugging-port=0',
    '--inspect=0',
    '--require=/tmp/x.js',
    '--enable-tracing',
    '--webrtc-event-logging=/tmp/x',
    '--alsa-output-device=file:FILE=|id,FORMAT=raw',
  ])
    test(`security: it refuses ${bad}, wherever it stands`, () => {
      const words = new RegExp(`${bad.split('=')[0]} (?:is none of the switches|does not take)`);
      assert.throws(() => split(bad), words);
      assert.throws(() => splitArguments(['/opt/electron', bad, script], false), words);
      assert.throws(() => splitArguments(['/opt/faceplate', bad], true), words);
    });
});

/** A process that has ended. */
const gone = () => spawnSync(process.execPath, ['--version']).pid;

describe('the socket that an Electron has left', () => {
  for (const [what, pid, name, stays] of [
    ['of a killed one goes', gone(), 'scoped_dirAb12Cd', false],
    ['of a running one stays', process.pid, 'scoped_dirAb12Cd', true],
    ['in a folder of another kind stays', gone(), 'somewhere', true],
  ] as const)
    test(`${what}`, () => {
      const folder = temporaryFolder('socket');
      const socket = join(folder, name);
      mkdirSync(socket);
      symlinkSync(`panel-7-${pid}`, join(folder, 'SingletonLock'));
      symlinkSync(join(socket, 'SingletonSocket'), join(folder, 'SingletonSocket'));
      removeStaleSocket(folder);
      assert.equal(existsSync(socket), stays);
    });

  test('is not looked for where there is none', () => {
    assert.doesNotThrow(() => removeStaleSocket('/nowhere'));
  });
});
