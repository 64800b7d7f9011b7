import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
/** Longest time until a line comes, in milliseconds; test machines are busy. */
const LINE_MS = 90_000;
/** The stop limit of the program, and what a busy machine may add. */
const STOP_MS = 15_000;

/**
 * Electron loads the main script, waits until it is evaluated, and only then becomes ready (JoinAppCode). So does this,
 * with the double of its API.
 */
const RUNNER = `import { becomeReady, calls, shown } from 'electron';
process.argv.splice(1, 1);
await import('./electron/main.js');
console.log('evaluated ' + JSON.stringify(calls));
becomeReady();
process.on('SIGUSR2', () => console.log('shown ' + JSON.stringify(shown())));`;

describe('the bundle of the Electron program that ships (run in Node over a double of Electron)', () => {
  let folder: string;
  let children: ChildProcess[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'faceplate-electron-program-'));
    const dist = join(folder, 'dist');
    for (const path of ['electron-packages/faceplate-electron.deb', 'faceplate.deb', 'server/old.js']) {
      mkdirSync(join(dist, path, '..'), { recursive: true });
      writeFileSync(join(dist, path), '');
    }
    const script = join(root, 'build/bundle.ts');
    const args = ['--disable-warning=ExperimentalWarning', script, dist];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    const modules = join(dist, 'node_modules');
    mkdirSync(join(modules, 'electron'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== 'electron' && !name.startsWith('.'))
        symlinkSync(join(root, 'node_modules', name), join(modules, name));
    writeFileSync(
      join(modules, 'electron/package.json'),
      '{"name":"electron","type":"module","exports":"./index.js"}',
    );
    await build({
      entryPoints: [join(root, 'electron/testing/electronModule.ts')],
      outfile: join(modules, 'electron/index.js'),
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    });
    writeFileSync(join(dist, 'runner.mjs'), RUNNER);
  });
  after(async () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    children = [];
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function start(...args: string[]) {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(FACEPLATE_|NOTIFY_SOCKET|APPIMAGE)/.test(name)),
    );
    const given = ['--dataDir', dataDir, '--board', 'simulated', '--http.host', '127.0.0.1', ...args];
    const child = spawn(process.execPath, [join(folder, 'dist/runner.mjs'), 'electron/main.js', ...given], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    children.push(child);
    return { child, errors: text(child.stderr) };
  }

  test('should take the place of an older one, and leave packages in its folder as they are', () => {
    const has = (path: string) => existsSync(join(folder, 'dist', path));
    assert.equal(has('electron-packages/faceplate-electron.deb'), true);
    assert.equal(has('faceplate.deb'), true);
    assert.equal(has('server/main.js'), true);
    assert.equal(has('server/old.js'), false);
  });

  test('should be evaluated to its end before anything waits for Electron, then show the page, and stop', async () => {
    const { child, errors } = start('--http.port', '0', '--disable-gpu', '--ozone-platform=x11');
    const lines: string[] = [];
    const heard = createInterface({ input: child.stdout });
    heard.on('line', (line) => lines.push(line));
    const line = async (pattern: RegExp): Promise<RegExpExecArray> => {
      const signal = AbortSignal.timeout(LINE_MS);
      for (;;) {
        const found = lines.map((text) => pattern.exec(text)).find((match) => match !== null);
        if (found) return found;
        if (child.exitCode !== null) assert.fail(`no ${pattern}:\n${lines.join('\n')}\n${await errors}`);
        await once(heard, 'line', { signal }).catch(() => assert.fail(`no ${pattern}: ${lines.join('\n')}`));
      }
    };
    const calls = JSON.parse((await line(/^evaluated (.*)$/))[1]!) as string[];
    assert.equal(calls.includes('whenReady'), false);
    // What must come before Electron is ready has come.
    for (const early of ['enableSandbox', 'userData', 'lock']) assert.ok(calls.includes(early), early);
    await line(/^faceplate ready http/);
    child.kill('SIGUSR2');
    const shown = JSON.parse((await line(/^shown (.*)$/))[1]!) as string[];
    assert.ok(
      shown.some((url) => /^http:\/\/[\w.-]+\.localhost:\d+\//.test(url)),
      String(shown),
    );
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    // Ctrl+C comes twice, from the terminal and from npm.
    child.kill('SIGINT');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
  });

  test('should say in one sentence that its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { child, errors } = start('--http.port', String(port));
    child.stdout.resume();
    const [code] = await once(child, 'exit');
    other.close();
    assert.equal(code, 1);
    assert.match(await errors, new RegExp(`faceplate: Port ${port} is in use by another program\\.`));
  });

  test('should answer --version and --help as the other program does, and start nothing', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const run = async (flag: string) => {
      const { child } = start(flag);
      const said = await text(child.stdout);
      return said.split('evaluated')[0]!.trim();
    };
    assert.equal(await run('--version'), version);
    assert.match(await run('--help'), /^Faceplate [\d.]+: [\s\S]+ {2}--kiosk\.url[\s\S]+--replay/);
  });

  test('security: should not start with --no-sandbox', async () => {
    const { child, errors } = start('--no-sandbox');
    child.stdout.resume();
    const [code] = await once(child, 'exit');
    assert.equal(code, 1);
    assert.match(await errors, /--no-sandbox would weaken the wall/);
  });
});
