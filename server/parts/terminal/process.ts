import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withoutCapabilities } from '../../platform/privileges.ts';
import type { ShellDriver, ShellLimits, ShellOutcome } from './service.ts';

/** Exit code of a command that ran into the time limit, as of timeout(1). */
const TIMED_OUT = 124;
/** Milliseconds a killed shell may take to end; one stuck in the kernel must not keep the caller waiting. */
const KILL_GRACE_MS = 2_000;
/** Milliseconds spent on output that a background process keeps printing after the shell has ended. */
const LAST_OUTPUT_MS = 250;

/** The part of the service's environment that a command may see: the session and the language, nothing of Faceplate. */
const PASSED_ON =
  /^(PATH|TZ|LANG|LANGUAGE|LC_[A-Z]+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS)$/;

/** Runs commands with `/bin/sh -c`. */
export class ShellProcess implements ShellDriver {
  readonly name = 'process';
  readonly path = '/bin/sh';

  async run(command: string, limits: ShellLimits, signal: AbortSignal): Promise<ShellOutcome> {
    signal.throwIfAborted();
    const account = ownAccount();
    // Detached makes the shell the leader of a new session and group, so that one kill reaches all it started.
    const [program, ...args] = withoutCapabilities(this.path, ['-c', command]);
    const shell = spawn(program!, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnvironment(account),
      cwd: account.home,
    });
    // Without a process there may be no streams either (EMFILE).
    if (shell.pid === undefined) throw (await once(shell, 'error'))[0];
    const stdout = new FirstBytes(shell.stdout, limits.streamBytes);
    const stderr = new FirstBytes(shell.stderr, limits.streamBytes);
    try {
      const ending = await endOf(shell, limits.timeoutMs, signal);
      await lastOutput(stdout, stderr);
      return {
        stdout: stdout.bytes(),
        stderr: stderr.bytes(),
        stdoutTruncated: stdout.truncated,
        stderrTruncated: stderr.truncated,
        ...ending,
      };
    } finally {
      shell.stdout.destroy();
      shell.stderr.destroy();
    }
  }
}

/** Waits for the shell only (`close` would wait for every process that holds its output). */
function endOf(
  shell: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Pick<ShellOutcome, 'exitCode' | 'timedOut'>> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let grace: NodeJS.Timeout | undefined;
    const finish = (exitCode: number) => {
      clearTimeout(limit);
      clearTimeout(grace);
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode: timedOut ? TIMED_OUT : exitCode, timedOut });
    };
    const kill = () => {
      killGroup(shell);
      grace ??= setTimeout(() => finish(TIMED_OUT), KILL_GRACE_MS);
    };
    const limit = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    signal.addEventListener('abort', kill, { once: true });
    shell.once('exit', (code, name) => finish(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
}

/**
 * Kills the shell and everything in its group. The id cannot belong to another process: the shell is not reaped yet.
 */
function killGroup(shell: ChildProcess): void {
  if (shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
  try {
    process.kill(-shell.pid, 'SIGKILL');
  } catch {
    // The group ended at the same moment.
  }
}

/** Output from before the end of the shell may still be in the pipes: reads until they are empty or closed. */
async function lastOutput(...streams: readonly FirstBytes[]): Promise<void> {
  const seen = () => streams.reduce((sum, stream) => sum + stream.seen, 0);
  const deadline = performance.now() + LAST_OUTPUT_MS;
  let before = -1;
  while (performance.now() < deadline && seen() !== before && !streams.every((stream) => stream.ended)) {
    before = seen();
    // Two turns of the event loop: between them it has certainly polled the pipes once.
    await nextTurn();
    await nextTurn();
  }
}

/** The first bytes of a stream; the rest is read and dropped, so that the writer does not stall. */
class FirstBytes {
  readonly #chunks: Uint8Array[] = [];
  #room: number;
  /** Bytes that came, stored or not. */
  seen = 0;
  ended = false;
  truncated = false;

  constructor(stream: Readable, limit: number) {
    this.#room = limit;
    stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
    stream.once('end', () => {
      this.ended = true;
    });
    stream.on('error', () => {
      this.ended = true;
    });
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  #take(chunk: Uint8Array): void {
    this.seen += chunk.length;
    if (chunk.length > this.#room) this.truncated = true;
    if (this.#room === 0) return;
    const kept = chunk.subarray(0, this.#room);
    this.#room -= kept.length;
    this.#chunks.push(kept);
  }
}

function cleanEnvironment({ name, home }: Account): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...Object.fromEntries(Object.entries(process.env).filter(([variable]) => PASSED_ON.test(variable))),
    HOME: home,
    USER: name,
    LOGNAME: name,
    SHELL: '/bin/sh',
  };
}

interface Account {
  readonly name: string;
  readonly home: string;
}

/** The service's own user; one that the system has no entry for (a container) starts in the root folder. */
function ownAccount(): Account {
  try {
    const { username, homedir } = userInfo();
    return { name: username, home: existsSync(homedir) ? homedir : '/' };
  } catch {
    return { name: String(process.getuid?.() ?? ''), home: '/' };
  }
}
