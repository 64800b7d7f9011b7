import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { commands } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoError } from '../../platform/errno.ts';
import { createLogger, silentLogger } from '../../platform/log.ts';
import { type ShellDriver, type ShellLimits, type ShellOutcome, TerminalService } from './service.ts';

const ended: ShellOutcome = {
  stdout: Buffer.from('out'),
  stderr: Buffer.from('err'),
  stdoutTruncated: false,
  stderrTruncated: false,
  exitCode: 0,
  timedOut: false,
};

/** Answers with `outcome`, or hangs until the signal aborts. */
class FakeShell implements ShellDriver {
  readonly name = 'fake';
  readonly path = '/bin/sh';
  readonly outcome: Partial<ShellOutcome> | Error | 'hangs';
  limits: ShellLimits | undefined;
  calls = 0;

  constructor(outcome: Partial<ShellOutcome> | Error | 'hangs' = {}) {
    this.outcome = outcome;
  }

  async run(_command: string, limits: ShellLimits, signal: AbortSignal): Promise<ShellOutcome> {
    this.calls++;
    this.limits = limits;
    if (this.outcome instanceof Error) throw this.outcome;
    if (this.outcome !== 'hangs') return { ...ended, ...this.outcome };
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
}

const context = { signal: new AbortController().signal, origin: '192.168.1.7' };

function service(driver: ShellDriver, enabled = true): TerminalService {
  return new TerminalService({ driver, enabled: () => enabled, log: silentLogger() });
}

test('should answer as the contract says', async () => {
  const answer = await service(new FakeShell({ exitCode: 2 })).exec({ command: 'x' }, context);
  assert.deepEqual(
    { ...answer, duration: '' },
    {
      command: 'x',
      stdout: 'out',
      stderr: 'err',
      exitCode: 2,
      duration: '',
      timedOut: false,
    },
  );
  assert.ok(commands['terminal.exec'].result.safeParse(answer).success);
});

test('should give the driver 30 seconds and 1 MiB per stream', async () => {
  const shell = new FakeShell();
  await service(shell).exec({ command: 'x' }, context);
  assert.deepEqual(shell.limits, { timeoutMs: 30_000, streamBytes: 1_048_576 });
});

test('should say so when a stream was cut, and not split a character at the cut', async () => {
  const cut = Buffer.from('aé€').subarray(0, -1);
  const answer = await service(new FakeShell({ stdout: cut, stdoutTruncated: true })).exec(
    { command: 'x' },
    context,
  );
  assert.equal(answer.stdout, 'aé');
  assert.equal(answer.truncated, true);
  assert.ok(commands['terminal.exec'].result.safeParse(answer).success);
});

test('should show bytes that are not UTF-8 as replacement characters, and keep a byte order mark', async () => {
  const answer = await service(
    new FakeShell({ stdout: Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3]) }),
  ).exec({ command: 'x' }, context);
  assert.equal(answer.stdout, '\ufeffa\ufffd\ufffd');
});

test('should refuse every command with FORBIDDEN while terminal.enabled is false', async () => {
  const shell = new FakeShell();
  const off = service(shell, false);
  await assert.rejects(off.exec({ command: 'id' }, context), { code: 'FORBIDDEN' });
  assert.equal(shell.calls, 0);
  assert.equal(off.part().state, 'absent');
  assert.match(off.part().reason ?? '', /terminal\.enabled/);
  assert.equal(service(shell).part().state, 'real');
});

test('should refuse a NUL character, naming its field', async () => {
  await assert.rejects(service(new FakeShell()).exec({ command: 'a\0b' }, context), {
    code: 'INVALID_REQUEST',
    field: 'command',
  });
});

test('should leave an audit line that holds the digest and never the text or the output', async () => {
  const lines = new PassThrough();
  const terminal = new TerminalService({
    driver: new FakeShell({ exitCode: 7, stdout: Buffer.from('printed-secret') }),
    enabled: () => true,
    log: createLogger('info', lines),
  });
  const command = 'mount -o password=hunter2';
  await terminal.exec({ command }, context);
  const text = String(lines.read());
  const line = JSON.parse(text);
  assert.equal(line.caller, '192.168.1.7');
  assert.equal(line.exitCode, 7);
  assert.equal(line.sha256, createHash('sha256').update(command).digest('hex'));
  assert.ok(Number.isInteger(line.durationMs));
  assert.ok(!text.includes('hunter2') && !text.includes('printed-secret'), text);
});

test('should also audit a command whose caller left', async () => {
  const lines = new PassThrough();
  const terminal = new TerminalService({
    driver: new FakeShell('hangs'),
    enabled: () => true,
    log: createLogger('info', lines),
  });
  const caller = new AbortController();
  const call = terminal.exec({ command: 'x' }, { signal: caller.signal, origin: 'somewhere' });
  caller.abort(new Error('gone'));
  await assert.rejects(call, /gone/);
  assert.equal(JSON.parse(String(lines.read())).caller, 'somewhere');
});

test('should end running commands with SHUTTING_DOWN when it stops', async () => {
  const terminal = service(new FakeShell('hangs'));
  await terminal.start();
  const call = terminal.exec({ command: 'x' }, context);
  const refused = assert.rejects(call, { code: 'SHUTTING_DOWN' });
  await terminal.stop();
  await terminal.stop();
  await refused;
});

test('should name the system error when no process can be created', async () => {
  const failing = service(new FakeShell(errnoError('EAGAIN', 'spawn')));
  await assert.rejects(failing.exec({ command: 'x' }, context), (error: unknown) => {
    assert.ok(error instanceof FaceplateError);
    assert.equal(error.code, 'HARDWARE_ERROR');
    assert.match(error.message, /EAGAIN/);
    return true;
  });
});
