import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it, test } from 'node:test';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';

describe('compiled code', () => {
  const folder = temporaryFolder('compiled');

  /** Runs a program that is killed, as by a loss of power. @returns what it says before */
  async function run(cache: string | undefined, passed: boolean): Promise<string> {
    const script = `
      import { keepCompiledCode } from ${JSON.stringify(join(import.meta.dirname, 'ownProcess.ts'))};
      let due = () => {};
      keepCompiledCode({ now: () => 0, after: (milliseconds, run) => { due = run; return () => {}; } });
      if (${passed}) due();
      console.log(process.env.NODE_COMPILE_CACHE);
      setInterval(() => {}, 1_000);`;
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, ...(cache && { NODE_COMPILE_CACHE: cache }) },
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    return String(said).trim();
  }

  const kept = (cache: string) =>
    readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

  it('should be on the disk some seconds after the start, also when the power goes then', async () => {
    const early = join(folder, 'early');
    await run(early, false);
    assert.equal(kept(early), 0);
    const late = join(folder, 'late');
    await run(late, true);
    assert.ok(kept(late) > 0);
  });

  it('should not be told to the programs that the service starts', async () => {
    assert.equal(await run(join(folder, 'own'), true), 'undefined');
  });

  it('should need no folder', async () => {
    assert.equal(await run(undefined, true), 'undefined');
  });
});

/** With a secret in quotes, in an address, and alone. */
const WITH_SECRETS = `new Error('no camera rtsp://user:hunter2@10.0.0.1/x with kx83hs73hs92hs62hd81 for "hunter3"')`;

describe('a service with an uncaught error', () => {
  let dataDir: string;
  let crashes: string;
  beforeEach(async () => {
    dataDir = temporaryFolder('crash');
    chmodSync(dataDir, 0o711);
    crashes = join(dataDir, 'crashes');
  });

  const endedBy = async (statement: string) => {
    // Loaded before the service: throws what the test wants on a signal.
    const fault = join(dataDir, 'fault.mjs');
    writeFileSync(fault, `process.on('SIGUSR2', () => { ${statement} });`);
    const service = new FaceplateProcess({
      dataDir,
      args: ['--host', 'none'],
      env: { NODE_OPTIONS: `--import=${fault}` },
    });
    await service.start();
    process.kill(service.pid!, 'SIGUSR2');
    const ended = await service.ended();
    return { ...ended, output: service.output };
  };

  for (const [kind, statement] of [
    ['uncaughtException', `setTimeout(function guilty() { throw ${WITH_SECRETS}; })`],
    ['unhandledRejection', `(async function guilty() { throw ${WITH_SECRETS}; })()`],
  ] as const)
    test(`security: should end with status 1, a log line and a crash file without secrets: ${kind}`, async () => {
      const { code, output } = await endedBy(statement);
      assert.equal(code, 1, output);
      const [name = ''] = readdirSync(crashes);
      const text = readFileSync(join(crashes, name), 'utf8');
      const facts = JSON.parse(text);
      assert.equal(facts.kind, kind);
      assert.equal(facts.error, 'Error');
      assert.equal(facts.message, 'no camera (address) with (word) for ');
      assert.match(facts.frames[0], /^at .*guilty/);
      assert.match(output, /"level":"fatal".*"kind":"u/);
      for (const told of [text, output]) assert.doesNotMatch(told, /hunter|kx83hs/);
      assert.equal(statSync(join(crashes, name)).mode & 0o777, 0o600);
      assert.equal(statSync(crashes).mode & 0o777, 0o700);
    });

  test('security: should keep ten crash files, the newest', async () => {
    mkdirSync(crashes);
    for (let day = 10; day < 25; day++)
      writeFileSync(join(crashes, `crash-2020-01-${day}T00-00-00-000Z.json`), '{}');
    writeFileSync(join(crashes, 'other.txt'), '');
    assert.equal((await endedBy('setTimeout(() => { throw 1 })')).code, 1);
    const names = readdirSync(crashes).sort();
    assert.equal(names.length, 11);
    assert.equal(names[0], 'crash-2020-01-16T00-00-00-000Z.json');
    assert.match(names[9]!, /^crash-20(2[1-9]|[3-9]\d)/);
  });

  test('security: should end even when no crash file can be written', async () => {
    writeFileSync(crashes, 'a file where the folder would be');
    const { code, output } = await endedBy('setTimeout(() => { throw new TypeError() })');
    assert.equal(code, 1);
    assert.match(output, /"error":"TypeError"/);
    assert.match(output, /could not write a crash file/);
  });
});
