import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { ShellProcess } from './process.ts';
import type { ShellLimits } from './service.ts';

const roomy: ShellLimits = { timeoutMs: 20_000, streamBytes: 1024 * 1024 };
const never = new AbortController().signal;
const shell = new ShellProcess();

const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const run = (command: string, limits: Partial<ShellLimits> = {}, signal = never) =>
  shell.run(command, { ...roomy, ...limits }, signal);

describe('shell process', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('shell');
  });

  /** A zombie counts as gone: it only waits for its parent. */
  function isAlive(pid: number): boolean {
    try {
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }

  test('should return both streams and the exit code', async () => {
    const outcome = await run('echo out; echo err >&2; exit 3');
    assert.equal(decode(outcome.stdout), 'out\n');
    assert.equal(decode(outcome.stderr), 'err\n');
    assert.equal(outcome.exitCode, 3);
    assert.equal(outcome.timedOut, false);
    assert.equal(outcome.stdoutTruncated, false);
  });

  test('should answer 128 + n for a shell that a signal ended', async () => {
    assert.equal((await run('kill -TERM $$')).exitCode, 128 + 15);
    assert.equal((await run('kill -KILL $$')).exitCode, 128 + 9);
  });

  test('should not lose output that was printed just before the end', async () => {
    for (let round = 0; round < 30; round++) {
      const outcome = await run('head -c 150000 /dev/zero; head -c 60000 /dev/zero >&2');
      assert.equal(outcome.stdout.length, 150_000);
      assert.equal(outcome.stderr.length, 60_000);
    }
  });

  test('should not lose the last output when a background process keeps the pipe open', async () => {
    const outcome = await run(`sleep 30 & echo $! > ${folder}/holder; head -c 100000 /dev/zero`);
    const holder = Number(readFileSync(`${folder}/holder`, 'utf8'));
    try {
      assert.equal(outcome.stdout.length, 100_000);
      assert.ok(isAlive(holder), 'the background process goes on');
    } finally {
      process.kill(holder);
    }
  });

  test('should answer when the shell ends although a background process keeps printing', async () => {
    const startedAt = Date.now();
    const outcome = await run('yes & echo shell is done');
    assert.equal(outcome.exitCode, 0);
    assert.ok(Date.now() - startedAt < 10_000);
  });

  test('should kill the whole group after the time limit and return what was printed so far', async () => {
    const outcome = await run(`echo so far; sleep 60 & echo $! > ${folder}/child; sleep 60`, {
      timeoutMs: 500,
    });
    assert.equal(outcome.exitCode, 124);
    assert.equal(outcome.timedOut, true);
    assert.equal(decode(outcome.stdout), 'so far\n');
    const child = Number(readFileSync(`${folder}/child`, 'utf8'));
    await until(() => !isAlive(child), 'the child to end with its group');
  });

  test('should kill a shell that ignores every signal it can ignore', async () => {
    const outcome = await run("trap '' TERM INT HUP; while :; do sleep 1; done", { timeoutMs: 300 });
    assert.equal(outcome.exitCode, 124);
  });

  test('should kill the group when the caller is gone', async () => {
    const caller = new AbortController();
    const running = run(`sleep 60 & echo $! > ${folder}/gone; wait`, {}, caller.signal);
    await until(
      () => existsSync(`${folder}/gone`) && readFileSync(`${folder}/gone`, 'utf8') !== '',
      'the child',
    );
    const child = Number(readFileSync(`${folder}/gone`, 'utf8'));
    assert.ok(isAlive(child));
    const reason = new Error('caller gone');
    caller.abort(reason);
    await assert.rejects(running, reason);
    await until(() => !isAlive(child), 'the child to end with its caller');
  });

  test('should not start anything for a caller who is already gone', async () => {
    await assert.rejects(run(`touch ${folder}/started`, {}, AbortSignal.abort(new Error('gone'))), /gone/);
    assert.ok(!existsSync(`${folder}/started`));
  });

  test('should keep the first bytes of each stream and let the command run on', async () => {
    const outcome = await run('printf abc; head -c 3000000 /dev/zero; printf xy >&2; exit 5', {
      streamBytes: 1000,
    });
    assert.equal(outcome.stdout.length, 1000);
    assert.equal(decode(outcome.stdout.subarray(0, 3)), 'abc');
    assert.equal(outcome.stdoutTruncated, true);
    assert.equal(decode(outcome.stderr), 'xy');
    assert.equal(outcome.stderrTruncated, false);
    assert.equal(outcome.exitCode, 5);
  });

  test('should not call a stream that fits exactly truncated', async () => {
    const outcome = await run('printf abcd', { streamBytes: 4 });
    assert.equal(decode(outcome.stdout), 'abcd');
    assert.equal(outcome.stdoutTruncated, false);
  });

  test('should give the command no input', async () => {
    assert.equal(decode((await run('cat; echo end')).stdout), 'end\n');
  });

  test('should hide the token and the settings from the command (clean environment)', async () => {
    process.env.FACEPLATE_TOKEN = 'very-secret-token';
    process.env.NODE_OPTIONS_FOR_TEST = 'x';
    try {
      const printed = decode((await run('env; cat /proc/$$/environ')).stdout);
      assert.ok(!printed.includes('FACEPLATE'), printed);
      assert.ok(!printed.includes('very-secret-token'), printed);
      assert.ok(!printed.includes('NODE_OPTIONS'), printed);
      assert.match(printed, /^PATH=./m);
      assert.match(printed, /^HOME=./m);
    } finally {
      delete process.env.FACEPLATE_TOKEN;
      delete process.env.NODE_OPTIONS_FOR_TEST;
    }
  });

  test('should fail with the system error when no process can be created', () => {
    const driver = new URL('./process.ts', import.meta.url).href;
    const code = `
      import { openSync } from 'node:fs';
      import { ShellProcess } from '${driver}';
      try { for (;;) openSync('/dev/null'); } catch {}
      await new ShellProcess().run('true', { timeoutMs: 5000, streamBytes: 10 }, new AbortController().signal)
        .then(() => process.exit(1), (error) => process.exit(error.code === 'EMFILE' ? 42 : 2));`;
    const child = spawnSync('/bin/sh', [
      '-c',
      'ulimit -n 64; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      code,
    ]);
    assert.equal(child.status, 42, child.stderr.toString());
  });

  test('should run in its own process group', async () => {
    const printed = decode((await run('echo $$; cut -d" " -f5 /proc/$$/stat')).stdout);
    const [pid, group] = printed.trim().split('\n');
    assert.equal(group, pid);
  });
});
