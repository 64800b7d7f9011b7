import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const STOP_LIMIT_MS = 1_000;
const KEPT_OUTPUT = 20_000;

/** A SIP program of the system, run by a test. */
export interface PeerProgram {
  readonly pid: number;
  /** What it printed, both streams, the last 20,000 characters. */
  output(): string;
  /** Exit status; null after a signal. */
  readonly exited: Promise<number | null>;
  readonly hasExited: () => boolean;
  /** Ends it and all its children; resolves when it is gone; safe to call twice. */
  stop(): Promise<void>;
}

/** @throws Error when the program cannot be started (is its Debian package installed?). */
export async function startPeerProgram(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<PeerProgram> {
  // Its own process group, so that the children of kamailio end with it.
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('latin1').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error))]);
  return {
    pid: child.pid!,
    output: () => output,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => stopGroup(child, exited),
  };
}

async function stopGroup(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const killer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(killer);
  // The rest of its group.
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // The group has no process left.
  }
}
