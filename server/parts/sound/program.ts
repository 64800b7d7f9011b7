import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Milliseconds that a program may take to give the next samples. */
const PATIENCE_MS = 10_000;
/** The most bytes of a program's messages that are stored. */
const SAID_BYTES = 4_096;

/** Bounds of a program that reads what a stranger sent: memory, computing time in seconds, files that it writes. */
const BOUNDS = ['--as=1073741824', '--cpu=60', '--fsize=16777216', '--core=0', '--nofile=256'];

interface ProgramOptions {
  /** A file descriptor, or `pipe` to write to it. */
  readonly input: number | 'pipe';
  readonly env: NodeJS.ProcessEnv;
  /** Kills it. */
  readonly signal?: AbortSignal | undefined;
}

/** A running program without a shell. It is killed at once where it is no longer wanted: it holds nothing to lose. */
export class Program {
  readonly #process: ChildProcess;
  /** Exit code once it has ended; 128 and more for a signal. Rejects where the program is not installed. */
  readonly ended: Promise<number>;
  #said = '';
  #hasEnded = false;

  constructor(program: string, args: readonly string[], { input, env, signal }: ProgramOptions) {
    this.#process = spawn(program, args, {
      stdio: [input, 'pipe', 'pipe'],
      env,
      ...(signal && { signal }),
      killSignal: 'SIGKILL',
    });
    const process = this.#process;
    this.ended = new Promise((resolve, reject) => {
      // `close` comes after the last byte of the output.
      process.once('close', (code) => {
        this.#hasEnded = true;
        resolve(code ?? 128);
      });
      process.on('error', (error) => {
        if (error.name !== 'AbortError') reject(error);
      });
    });
    this.ended.catch(() => {});
    process.stderr?.on('data', (bytes: Buffer) => {
      if (this.#said.length < SAID_BYTES) this.#said += bytes.toString('latin1', 0, SAID_BYTES);
    });
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream?.on('error', () => {});
  }

  /** What it said on its standard error so far, up to a few lines. */
  get said(): string {
    return this.#said;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get input(): Writable {
    return this.#process.stdin!;
  }

  get messages(): Readable {
    return this.#process.stderr!;
  }

  /** What it prints, until its end. It is killed when no one reads on, or when it stalls. */
  output(): AsyncGenerator<Buffer> {
    return patiently(this.#process.stdout!, () => this.kill());
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Resolves once it has started. @throws the system's error, such as ENOENT where it is not installed */
  async started(): Promise<void> {
    if (this.#process.pid === undefined) await Promise.race([this.ended, once(this.#process, 'spawn')]);
  }
}

/**
 * What comes, until its end.
 * @param end ends its source: when no one reads on, when it stalls, and after its end
 */
export async function* patiently(source: Readable, end: () => void): AsyncGenerator<Buffer> {
  let watch = setTimeout(end, PATIENCE_MS);
  try {
    for await (const bytes of source as AsyncIterable<Buffer>) {
      clearTimeout(watch);
      yield bytes;
      watch = setTimeout(end, PATIENCE_MS);
    }
  } catch {
    // What was cut off has ended: its reader has what came until then.
  } finally {
    clearTimeout(watch);
    end();
  }
}

/** Puts back what was taken from the beginning. */
export async function* startingWith<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The command line that runs a program within the bounds. */
export function bounded(program: string, args: readonly string[]): [string, string[]] {
  return ['prlimit', [...BOUNDS, '--', program, ...args]];
}

/** The part of our environment that reaches the system's sound, and nothing else of it. Messages are in English. */
export function soundEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const passed =
    /^(?:PATH|HOME|XDG_[A-Z_]+|ALSA_[A-Z_]+|PULSE_[A-Z_]+|PIPEWIRE_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS)$/;
  return { ...Object.fromEntries(Object.entries(own).filter(([name]) => passed.test(name))), LC_ALL: 'C' };
}
