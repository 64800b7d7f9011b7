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
    for (const script of ['bundle', 'manage']) writeFileSync(join(project, `build/${script}.ts`), '');
    writeFileSync(
      join(project, 'server/main.ts'),
      "console.log('node', ...process.argv.slice(2));\nprocess.exitCode = 7;\n",
    );
    writeFileSync(join(project, 'electron/electron'), '#!/bin/sh\necho electron "$@"\nexit 8\n');
    chmodSync(join(project, 'electron/electron'), 0o755);
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

  it('should say in one line that auto uses Chromium, and fetch nothing for it', async () => {
    const { out, messages } = await start([], { ELECTRON_MIRROR: 'http://127.0.0.1:9/' });
    assert.equal(out, 'node');
    assert.equal(messages.match(/host=auto.*Chromium/g)?.length, 1, messages);
    assert.doesNotMatch(messages, /Fetching/);
  });

  it('should run Electron on request, never as root', async () => {
    const given = { ELECTRON_OVERRIDE_DIST_PATH: join(project, 'electron') };
    const { out, messages, code } = await start(['--host=electron'], given);
    if (isRoot) assert.match(messages, /does not run as root/);
    else assert.equal(out, `electron ${join(project, 'dist/electron/main.js')} --host=electron`, messages);
    assert.equal(code, isRoot ? 1 : 8);
  });

  it('should use Chromium for auto also where there is an Electron, and say why', async () => {
    const given = { ELECTRON_OVERRIDE_DIST_PATH: join(project, 'electron'), DISPLAY: ':0' };
    const { out, messages } = await start([], given);
    assert.match(out, /^node/);
    assert.match(messages, /no real one has run Faceplate yet/);
  });
});
