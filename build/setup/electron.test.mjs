import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { before, beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { lockHash } from './machine/npmPackages.mjs';
import { leftProcesses } from './tests/leftovers.mjs';

const isRoot = process.getuid() === 0;

/** A suite that tells where it runs, and passes. */
const TELLS = `import { writeFileSync, writeSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
const { DISPLAY, ELECTRON_OVERRIDE_DIST_PATH, ELECTRON_PLAIN_DIST_PATH } = process.env;
const facts = { uid: process.getuid(), home: homedir(), temporary: tmpdir(), cwd: process.cwd(), DISPLAY, ELECTRON_OVERRIDE_DIST_PATH, ELECTRON_PLAIN_DIST_PATH };
writeFileSync('dist', 'of the suite');
writeSync(1, 'FACTS ' + JSON.stringify(facts) + '\\n');
writeFileSync(process.argv[2], JSON.stringify({ passed: 2, failed: 0, skipped: 1, faults: [] }));`;

describe('npm run test:electron', () => {
  let scratch;
  let project;
  let temporary;

  /** A project of its own with the real launcher and runner, and an Electron in its packages. */
  before(() => {
    scratch = temporaryFolder('launcher');
    chmodSync(scratch, 0o755);
    project = join(scratch, 'project');
    write('package.json', '{"type":"module"}');
    write('package-lock.json', '{}');
    write('.gitignore', 'node_modules\nsecret\n');
    write('secret', 'only of who made it');
    write('build/bundle/manage.ts', '');
    cpSync(import.meta.dirname, join(project, 'build/setup'), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.mjs'),
    });
    write('node_modules/.faceplate-lock', lockHash(project));
    write('node_modules/electron/package.json', '{"version":"45.0.0"}');
    write('node_modules/electron/dist/version', '45.0.0');
    write('node_modules/electron/dist/electron', 'a program');
    const node = join(project, 'node_modules/.bin/node');
    mkdirSync(join(node, '..'));
    try {
      linkSync(process.execPath, node);
    } catch {
      copyFileSync(process.execPath, node);
    }
    execFileSync('git', ['init', '-q', project]);
  });
  beforeEach(() => {
    temporary = mkdtempSync(join(scratch, 't'));
    chmodSync(temporary, 0o755);
    write('electron/testing/main.ts', TELLS);
  });

  function write(file, content) {
    mkdirSync(join(project, file, '..'), { recursive: true });
    writeFileSync(join(project, file), content);
  }

  function start(env, ...parts) {
    const { NODE_TEST_CONTEXT: _, ELECTRON_OVERRIDE_DIST_PATH: __, ...others } = process.env;
    const child = spawn(process.execPath, [join(project, 'build/setup/electron.mjs'), ...parts], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...others, TMPDIR: temporary, ...env },
    });
    return { child, messages: text(child.stderr), ended: once(child, 'exit') };
  }

  async function run(env, ...parts) {
    const { child, messages, ended } = start(env, ...parts);
    const out = await text(child.stdout);
    const [code] = await ended;
    return { code, out, messages: await messages, lastLine: out.trimEnd().split('\n').at(-1) };
  }

  /** Nothing of a run is left: no file, no process. */
  const isGone = () => {
    assert.deepEqual(readdirSync(temporary), []);
    assert.deepEqual(leftProcesses({ mark: '', folder: temporary, sessions: new Set() }), []);
  };

  it('should run the suite on a screen of its own, never as root, and leave nothing', async () => {
    const { code, out, messages, lastLine } = await run({}, 'suite');
    assert.equal(lastLine, '2 passed, 0 failed, 1 skipped', messages);
    assert.equal(code, 0);
    const facts = JSON.parse(/^FACTS (.*)$/m.exec(out)[1]);
    assert.notEqual(facts.uid, 0);
    assert.match(facts.DISPLAY, /^:\d+$/);
    assert.equal(facts.ELECTRON_OVERRIDE_DIST_PATH, join(facts.cwd, 'node_modules/electron/dist'));
    assert.equal(facts.ELECTRON_PLAIN_DIST_PATH, facts.ELECTRON_OVERRIDE_DIST_PATH);
    assert.ok(facts.temporary.startsWith(temporary), facts.temporary);
    if (isRoot) {
      assert.ok(facts.cwd.startsWith(temporary), facts.cwd);
      assert.ok(facts.home.startsWith(temporary), facts.home);
      assert.equal(statSync(join(project, 'node_modules/electron/dist/electron')).uid, 0);
      assert.deepEqual(readdirSync(project).includes('dist'), false);
    }
    isGone();
  });

  it('should end with everything that it started at Ctrl+C', async () => {
    write(
      'electron/testing/main.ts',
      `import { spawn } from 'node:child_process';
spawn('setsid', ['sleep', '60'], { stdio: 'ignore' }).unref();
console.log('HANGS');
setInterval(() => {}, 1_000);`,
    );
    const { child, ended, messages } = start({}, 'suite');
    for await (const line of createInterface(child.stdout)) if (line === 'HANGS') child.kill('SIGINT');
    assert.deepEqual(await ended, [130, null], await messages);
    isGone();
  });

  it('should say in one sentence why nothing runs, and end with 2', async () => {
    const noElectron = { ELECTRON_OVERRIDE_DIST_PATH: '/no/such' };
    for (const { env, part, why } of [
      { env: noElectron, part: 'suite', why: /^There is no Electron for the tests: .+\.$/m },
      { env: {}, part: 'unit', why: /^There is no part unit\. Parts: suite, e2e, packed\.$/m },
    ]) {
      const { code, messages, lastLine } = await run(env, part);
      assert.match(messages, why);
      assert.equal(lastLine, '0 passed, 0 failed, 0 skipped');
      assert.equal(code, 2);
      isGone();
    }
    if (isRoot) {
      const given = join(scratch, 'given');
      mkdirSync(given, { mode: 0o700 });
      writeFileSync(join(given, 'electron'), '', { mode: 0o755 });
      const { code, messages } = await run({ ELECTRON_OVERRIDE_DIST_PATH: given }, 'suite');
      assert.match(messages, /^Electron does not run as root, .* may not start the one in .*given\.$/m);
      assert.equal(code, 2);
      isGone();
    }
    // No file of this stage is there.
    const { code, lastLine } = await run({}, 'packed');
    assert.equal(lastLine, '0 passed, 0 failed, 0 skipped');
    assert.equal(code, 2);
  });
});
