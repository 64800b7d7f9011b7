import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { leftProcesses } from './tests/leftovers.mjs';

const root = join(import.meta.dirname, '../..');

describe('npm test', () => {
  let project;

  /** A project of its own with the real runner, the real packages and the given files. */
  beforeEach(() => {
    project = temporaryFolder('runner');
    cpSync(import.meta.dirname, join(project, 'build/setup'), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.mjs'),
    });
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
    write('package.json', '{"type":"module"}');
    for (const script of ['check/all', 'bundle/manage']) write(`build/${script}.ts`, '');
  });

  function write(file, content) {
    mkdirSync(join(project, file, '..'), { recursive: true });
    writeFileSync(join(project, file), content);
  }

  const runTests = (...stages) => run(stages, { CI: 'true' });
  const runTestsByHand = (...stages) => run(stages, { CI: '' });

  async function run(stages, own) {
    // The runner under test must not see itself as part of this run.
    const { NODE_TEST_CONTEXT: _, ...others } = process.env;
    const env = { ...others, ...own };
    const child = spawn(process.execPath, [join(project, 'build/setup/test.mjs'), ...stages], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    const [out, messages, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { code, messages, lastLine: out.trimEnd().split('\n').at(-1) };
  }

  it('should count passed, failed and skipped tests in its last line', async () => {
    write(
      'server/a.test.ts',
      "import { it } from 'node:test';\nit('a', () => {});\nit('b', () => {});\nit.skip('c', () => {});\n",
    );
    const { code, lastLine, messages } = await runTests('check', 'unit');
    assert.equal(lastLine, '2 passed, 0 failed, 1 skipped', messages);
    assert.equal(code, 0);
  });

  it('should exit 1 and still run the later stages when one fails', async () => {
    write('build/check/all.ts', 'process.exitCode = 1;');
    write(
      'server/a.test.ts',
      "import { it } from 'node:test';\nit('a', () => {});\nit('b', () => { throw new Error('no'); });\n",
    );
    const { code, lastLine, messages } = await runTests('check', 'unit');
    assert.equal(lastLine, '1 passed, 2 failed, 0 skipped', messages);
    assert.equal(code, 1);
  });

  it('should run a failed file once more, and say so', async () => {
    const stumble = (name) =>
      [
        "import { existsSync, writeFileSync } from 'node:fs';",
        "import { it } from 'node:test';",
        `const mark = ${JSON.stringify(join(project, name))};`,
        "it('stumbles', () => {",
        '  if (existsSync(mark)) return;',
        "  writeFileSync(mark, '');",
        "  throw new Error('too busy');",
        '});',
      ].join('\n');
    write('server/a.test.ts', stumble('a'));
    const { code, lastLine, messages } = await runTests('unit');
    assert.match(messages, /once more: server\/a\.test\.ts/);
    assert.match(messages, /FLAKY: server\/a\.test\.ts: stumbles: too busy\nFLAKY: 1 failed at first/);
    assert.equal(lastLine, '1 passed, 0 failed, 0 skipped', messages);
    assert.equal(code, 0);
    rmSync(join(project, 'a'));
    const byHand = await runTestsByHand('unit');
    assert.match(byHand.messages, /FLAKY: server\/a\.test\.ts: stumbles: too busy\n.*Each counts as failed/);
    assert.equal(byHand.lastLine, '0 passed, 1 failed, 0 skipped', byHand.messages);
    assert.equal(byHand.code, 1);
    for (const name of ['c', 'd', 'e', 'f']) write(`server/${name}.test.ts`, stumble(name));
    const many = await runTests('unit');
    assert.equal(many.lastLine, '1 passed, 4 failed, 0 skipped', many.messages);
    assert.equal(many.code, 1);
  });

  it('should count a failed set-up as one fault, and name its cause last', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const mark = JSON.stringify(join(project, 'mark'));
    const suite = (throws) =>
      [
        "import { existsSync, writeFileSync } from 'node:fs';",
        "import { before, describe, it } from 'node:test';",
        "describe('browser', () => {",
        `  before(() => { ${throws} });`,
        ...names.map((name) => `  it('${name}', () => {});`),
        '});',
      ].join('\n');
    const noBrowser = "throw new Error('no browser\\n  somewhere');";
    write(
      'server/a.test.ts',
      suite(`if (!existsSync(${mark})) { writeFileSync(${mark}, ''); ${noBrowser} }`),
    );
    const flaky = await runTests('unit');
    assert.match(flaky.messages, /FLAKY: server\/a\.test\.ts: browser: no browser\nFLAKY: 1 failed at first/);
    assert.equal(flaky.lastLine, '5 passed, 0 failed, 0 skipped', flaky.messages);
    write('server/a.test.ts', suite(noBrowser));
    const broken = await runTests('unit');
    assert.match(broken.messages, /FAILED: server\/a\.test\.ts: browser: no browser\n$/);
    assert.equal(broken.lastLine, '0 passed, 5 failed, 0 skipped', broken.messages);
  });

  it('should fail a file that leaves something running, and name it', async () => {
    const file = (...lines) =>
      [
        "import { spawn } from 'node:child_process';",
        "import { createServer } from 'node:net';",
        "import { after, it } from 'node:test';",
        ...lines,
      ].join('\n');
    write(
      'server/nested/server.test.ts',
      file(
        "it('a', () => void createServer().listen(0));",
        "it('b', () => void setTimeout(() => {}, 60_000));",
      ),
    );
    write(
      'server/child.test.ts',
      file("it('c', () => spawn('sleep', ['62'], { stdio: 'ignore' }).unref());"),
    );
    // What the file's own hooks end, however late, is not a fault.
    write(
      'server/tidy.test.ts',
      file(
        'const server = createServer();',
        "it('d', () => void server.listen(0));",
        'after(() => new Promise((resolve) => setTimeout(resolve, 4_000)));',
        'after(() => server.close());',
      ),
    );
    const { code, lastLine, messages } = await runTests('unit');
    assert.match(
      messages,
      /^FAILED: server\/nested\/server\.test\.ts: .*: Still running after the last test: TCPServerWrap, Timeout$/m,
    );
    assert.match(
      messages,
      /^FAILED: server\/child\.test\.ts: .*: Still running after the last test: process \d+ \(sleep 62\)$/m,
    );
    assert.doesNotMatch(messages, /FAILED: .*tidy/);
    assert.equal(lastLine, '4 passed, 3 failed, 0 skipped', messages);
    assert.equal(code, 1);
  });

  it('should name and end what tests leave behind, processes and files, and fail', async () => {
    write(
      'server/a.test.ts',
      [
        "import { spawnSync } from 'node:child_process';",
        "import { mkdirSync, writeFileSync } from 'node:fs';",
        "import { tmpdir } from 'node:os';",
        "import { it } from 'node:test';",
        `import { temporaryFolder } from ${JSON.stringify(join(root, 'server/testing/temporaryFolder.ts'))};`,
        "it('leaves things behind', () => {",
        "  writeFileSync(tmpdir() + '/forgotten', '');",
        "  const again = temporaryFolder('again');",
        "  process.once('exit', () => mkdirSync(again));",
        // No longer a child of its file, which cannot find it.
        "  spawnSync('sh', ['-c', 'setsid sleep 61 &'], { stdio: 'ignore' });",
        '});',
      ].join('\n'),
    );
    const { code, lastLine, messages } = await runTests('unit');
    assert.equal(lastLine, '1 passed, 1 failed, 0 skipped', messages);
    assert.equal(code, 1);
    const left = /process (\d+): sleep 61/.exec(messages);
    assert.ok(left, messages);
    // It was the first of its session.
    assert.deepEqual(
      leftProcesses({ mark: '', folder: '/no/such', sessions: new Set([Number(left[1])]) }),
      [],
    );
    assert.match(messages, /Left behind: .*forgotten$/m);
    assert.match(messages, /Left behind: .*faceplate-again-\w+ \(made by \S+server\/a\.test\.ts:\d+/);
  });
});
