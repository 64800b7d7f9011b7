import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { runStart } from './tests/runStart.mjs';

const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;

describe('npm start', () => {
  let project;

  /** A project with the real starter, the real packages, and programs that only print their arguments. */
  before(() => {
    project = temporaryFolder('starter');
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

  const start = (args, env) => runStart({ project, args, env });

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

describe('npm start with a bundle of the service', () => {
  let project;
  const source = () => join(project, 'server/word.ts');

  /** A project with the real bundler and starter, and a service of two files, which says a word and who it is. */
  before(() => {
    project = temporaryFolder('starter-bundle');
    for (const path of [
      'build/setup',
      'build/bundle',
      'server/bundledMain.ts',
      'server/platform/files/compiledCode.ts',
      'server/platform/files/wholeFile.ts',
      'server/platform/errno.ts',
      'server/contract/errors.ts',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ])
      cpSync(join(root, path), join(project, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
    for (const page of ['manage', 'glass', 'keys']) {
      mkdirSync(join(project, 'dist', page), { recursive: true });
      writeFileSync(join(project, 'dist', page, 'index.html'), '');
    }
    // Without sources of the pages they count as stale.
    writeFileSync(join(project, 'build/bundle/manage.ts'), '');
    mkdirSync(join(project, 'server/start'));
    writeFileSync(
      join(project, 'server/start/browserAhead.ts'),
      'export const browserAhead = async () => {};',
    );
    writeFileSync(
      join(project, 'server/main.ts'),
      "import { runService } from './service.ts'; await runService(process.argv.slice(2));",
    );
    writeFileSync(
      join(project, 'server/service.ts'),
      `import { word } from './word.ts';
export async function runService(given: readonly string[]) {
  console.log(process.pid, word, import.meta.dirname, ...given);
  process.emitWarning('of an experiment', 'ExperimentalWarning');
  process.emitWarning('of a fault');
  process.exitCode = 7;
  return word !== 'one';
}
`,
    );
    say('one');
  });

  function say(word) {
    writeFileSync(source(), `export const word: string = '${word}';\n`);
  }

  async function start({ flags = ['--max-semi-space-size=4'], env = {} } = {}) {
    const { out, messages, code, pid } = await runStart({ project, flags, args: ['--host', 'none'], env });
    const [own, word, ...rest] = out.split(' ');
    return { word, rest, messages, code, isOneProcess: Number(own) === pid };
  }

  it('should make it at the first start, and run it in its own process, from the places of the sources', async () => {
    const { messages, ...started } = await start();
    const rest = [join(project, 'server'), '--host', 'none'];
    assert.deepEqual(started, { word: 'one', rest, code: 7, isOneProcess: true }, messages);
    assert.match(messages, /Warning: of a fault/);
    assert.doesNotMatch(messages, /experiment/i);
  });

  it('should run it from the places of the sources where their folder is a link', async () => {
    const elsewhere = join(project, 'elsewhere/deep/server');
    mkdirSync(dirname(elsewhere), { recursive: true });
    renameSync(join(project, 'server'), elsewhere);
    symlinkSync(elsewhere, join(project, 'server'));
    rmSync(join(project, 'dist/start'), { recursive: true });
    const { word, rest } = await start();
    assert.deepEqual([word, rest[0]], ['one', join(project, 'server')]);
    rmSync(join(project, 'server'));
    renameSync(elsewhere, join(project, 'server'));
    await start();
  });

  it('should run it again, without making it, until a source changes', async () => {
    const stamp = join(project, 'dist/start/made.json');
    const { ino } = statSync(stamp);
    assert.equal((await start()).word, 'one');
    assert.equal(statSync(stamp).ino, ino);
    say('two');
    assert.equal((await start()).word, 'two');
    assert.notEqual(statSync(stamp).ino, ino);
  });

  it('should keep the compiled code of a start that succeeded, beside that of Node', async () => {
    const compiled = join(project, 'node_modules-cache');
    const codes = () =>
      existsSync(compiled)
        ? readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter((path) =>
            path.endsWith('.code'),
          )
        : [];
    const env = { NODE_COMPILE_CACHE: compiled };
    say('one');
    await start({ env });
    assert.deepEqual(codes(), []);
    say('two');
    await start({ env });
    assert.match(codes().join(), /^v\d+\.[^/]+\/service-\d+-\d+\.code$/);
    assert.equal((await start({ env })).word, 'two');
  });

  it('should see a change that leaves size and time as they were', async () => {
    const { atime, mtime } = statSync(source());
    say('six');
    utimesSync(source(), atime, mtime);
    assert.equal((await start()).word, 'six');
  });

  it('should not trust a bundle whose source may have changed while it was made', async () => {
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(source(), later, later);
    const { word, isOneProcess } = await start();
    assert.deepEqual({ word, isOneProcess }, { word: 'six', isOneProcess: false });
    say('six');
    assert.equal((await start()).isOneProcess, true);
  });

  it('should see a file of the bundle that is gone', async () => {
    const { main } = JSON.parse(readFileSync(join(project, 'dist/start/made.json'), 'utf8'));
    rmSync(join(project, main));
    assert.equal((await start()).word, 'six');
    assert.ok(!existsSync(join(project, main)));
  });

  it('should run the sources where they cannot be bundled, which say why', async () => {
    writeFileSync(source(), 'export const word = ;');
    const { messages, code } = await start();
    assert.match(messages, /word\.ts/);
    assert.equal(code, 1);
    say('one');
  });

  it('should say the lines of the sources for a fault, where that is asked for', async () => {
    writeFileSync(
      source(),
      "export const word = 'one';\n\nif (process.env.FAULTY) throw new Error('faulty');\n",
    );
    const { messages } = await start({ env: { NODE_OPTIONS: '--enable-source-maps', FAULTY: 'yes' } });
    assert.match(messages, /server\/word\.ts:3/);
    say('one');
  });

  it('should run the bundle in a process of its own under a Node without the flag', async () => {
    const { word, code, isOneProcess } = await start({ flags: [] });
    assert.deepEqual({ word, code, isOneProcess }, { word: 'one', code: 7, isOneProcess: false });
  });
});
