import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;

describe('npm start', () => {
  let project;

  /** A project with the real starter, the real packages, and programs that only print their arguments. */
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'starter-'));
    cpSync(import.meta.dirname, join(project, 'build/setup'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
    mkdirSync(join(project, 'server'));
    mkdirSync(join(project, 'electron'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    mkdirSync(join(project, 'build/bundle'));
    for (const script of ['bundle', 'manage']) writeFileSync(join(project, `build/bundle/${script}.ts`), '');
    writeFileSync(
      join(project, 'server/main.ts'),
      "console.log('node', ...process.argv.slice(2));\nprocess.exitCode = 7;\n",
    );
    writeFileSync(
      join(project, 'electron/electron'),
      '#!/bin/sh\necho electron "$@" $ELECTRON_OZONE_PLATFORM_HINT\nexit 8\n',
    );
    chmodSync(join(project, 'electron/electron'), 0o755);
    writeFileSync(join(project, 'electron/version'), 'v33.2.1');
  });
  after(() => rmSync(project, { recursive: true }));

  async function start(args, env = {}) {
    const child = spawn(process.execPath, [join(project, 'build/setup/start.mjs'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: project, ...env },
    });
    const [out, messages, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { out: out.trim(), messages, code };
  }

  it('should pass arguments and the exit status on', async () => {
    const { out, messages, code } = await start(['--host', 'none', '--http.port', '0']);
    assert.equal(out, 'node --host none --http.port 0', messages);
    assert.equal(code, 7);
    assert.doesNotMatch(messages, /host=auto/);
  });

  it('should take Chromium where there is no Electron, say so in one line, and fetch nothing', async () => {
    const env = {
      ELECTRON_OVERRIDE_DIST_PATH: join(project, 'server'),
      ELECTRON_MIRROR: 'http://127.0.0.1:9/',
    };
    const { out, messages } = await start([], env);
    assert.equal(out, 'node');
    assert.equal(messages.match(/host=auto.*Chromium.*not Electron/g)?.length, 1, messages);
    assert.doesNotMatch(messages, /Fetching/);
  });

  it('should run Electron where it is named, from a bundle, never as root', async () => {
    const { out, messages, code } = await start(['--host=electron'], given());
    if (isRoot) assert.match(messages, /does not run as root/);
    else assert.equal(out, `electron ${join(project, 'dist/electron/main.js')} --host=electron`, messages);
    assert.equal(code, isRoot ? 1 : 8);
  });

  it('should run Electron for auto where it may run, and say in one line which it is', async () => {
    const { out, messages, code } = await start([], { ...given(), DISPLAY: ':0' });
    const lines = messages.match(/host=auto: .*/g) ?? [];
    assert.equal(lines.length, 1, messages);
    if (lines[0].includes('Electron 33.2.1 shows')) {
      assert.equal(out, `electron ${join(project, 'dist/electron/main.js')}`);
      assert.equal(code, 8);
    } else {
      assert.match(lines[0], isRoot ? /does not run as root/ : /forbids user namespaces/);
      assert.deepEqual([out, code], ['node', 7]);
    }
  });

  it('should tell an Electron that would ask for X where the screen is Wayland', {
    skip: isRoot && 'Electron does not run as root',
  }, async () => {
    const outOf = async (env) => (await start(['--host', 'electron'], { ...given(), ...env })).out;
    assert.match(await outOf({ WAYLAND_DISPLAY: 'wayland-0' }), / wayland$/);
    assert.match(await outOf({ WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }), /electron$/);
    const own = { WAYLAND_DISPLAY: 'wayland-0', ELECTRON_OZONE_PLATFORM_HINT: 'auto' };
    assert.match(await outOf(own), / auto$/);
  });

  it('should take the other one where the settings of the data folder name it', async () => {
    const dataDir = join(project, 'data');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'settings.json'), '{"host":"chromium"}');
    const { out, messages } = await start(['--dataDir', dataDir], { ...given(), DISPLAY: ':0' });
    assert.equal(out, `node --dataDir ${dataDir}`);
    assert.doesNotMatch(messages, /host=auto/);
  });

  it('should print help without a word on who shows the page', async () => {
    const { out, messages } = await start(['--help', '--host', 'electron'], given());
    assert.equal(out, 'node --help --host electron');
    assert.doesNotMatch(messages, /Electron|Chromium/);
  });

  const given = () => ({ ELECTRON_OVERRIDE_DIST_PATH: join(project, 'electron') });
});
