import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as passed } from 'node:timers/promises';
import { temporaryFolder } from './temporaryFolder.ts';

/** Longest time from start to the ready line, in milliseconds; generous, because test machines are busy. */
const START_LIMIT_MS = 60_000;

/** A service that has not stopped by then, in milliseconds, is killed, so that a test fails instead of hanging. */
const STOP_LIMIT_MS = 20_000;

/** How long helpers of the service may outlive it, in milliseconds: Electron's zygote goes just after its main process. */
const LEFT_LIMIT_MS = 1_000;

export interface FaceplateProcessOptions {
  /** Settings as flags. The data folder is chosen here; the port is any free one, the address 127.0.0.1. */
  readonly args?: readonly string[];
  /** Settings as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Program to run; without it server/main.ts. */
  readonly main?: string;
  /** Starts the program without Node; it then prints no DevTools address. */
  readonly spawn?: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<ChildProcess>;
  /** Shows the page in a headless Chromium that tests can attach to. */
  readonly kiosk?: boolean;
  /** A data folder that outlives this run, of mode 0711; without it one is made and removed again. */
  readonly dataDir?: string;
}

/** How the service ended. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the signal to the end, in milliseconds. */
  readonly ms: number;
  /** Beginnings of the command lines of processes that the service had started and that still run. */
  readonly left: readonly string[];
}

/** The service as a person starts it: its own process, on a free port, with its own data folder. */
export class FaceplateProcess {
  readonly #options: FaceplateProcessOptions;
  readonly #lines: { readonly text: string; readonly at: number }[] = [];
  readonly #waiting = new Set<() => void>();
  #child: ChildProcess | undefined;
  /** After the last line of its output, which may come after its exit. */
  #isClosed = true;
  #closed: Promise<void> = Promise.resolve();
  #dataDir = '';
  #startedAt = 0;

  constructor(options: FaceplateProcessOptions = {}) {
    this.#options = options;
  }

  /** Starts the service and resolves when it is ready. @throws with its output when it ends before */
  async start(): Promise<void> {
    await this.launch();
    await this.line(/^faceplate ready (\S+)$/);
    if (this.#options.kiosk && !this.#options.spawn) await this.line(/^faceplate devtools (\S+)$/);
  }

  /** Starts the service without waiting for it; for tests of starts that fail. */
  async launch(): Promise<void> {
    if (this.#options.dataDir === undefined) {
      this.#dataDir = temporaryFolder('data');
      // The user of the browser must be able to enter it; the token in it has its own mode.
      await chmod(this.#dataDir, 0o711);
    }
    this.#startedAt = performance.now();
    const { spawn: start = this.#spawnNode, args = [] } = this.#options;
    const env = { ...environmentWithoutSettings(), ...this.#settings(), ...this.#options.env };
    const child = await start(args, env);
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#add(line));
    }
    this.#isClosed = false;
    this.#closed = new Promise((resolve) => {
      child.once('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  readonly #spawnNode = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> => {
    const main = this.#options.main ?? join(import.meta.dirname, '../main.ts');
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
  };

  /** Milliseconds from the start to the last line that matches. */
  async timeTo(pattern: RegExp): Promise<number> {
    await this.line(pattern);
    return this.#find(pattern)!.at - this.#startedAt;
  }

  /** When the process was started, in milliseconds since 1970; to compare with the clock of a page. */
  get startedAtEpochMs(): number {
    return performance.timeOrigin + this.#startedAt;
  }

  /** The first group of the last line that matches, now or later. @throws when the service ends before */
  async line(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const match = this.#find(pattern)?.match;
      if (match) return match[1] ?? match[0];
      if (this.#isClosed) throw new Error(`The service ended before it printed ${pattern}:\n${this.output}`);
      if (Date.now() > deadline) throw new Error(`The service did not print ${pattern}:\n${this.output}`);
      await this.#nextLine(deadline - Date.now());
    }
  }

  /** Address of the HTTP API, without a slash at the end. */
  get url(): Promise<string> {
    return this.line(/^faceplate ready (\S+)$/);
  }

  /** Address to attach a test browser to. */
  get devtoolsUrl(): Promise<string> {
    return this.line(/^faceplate devtools (\S+)$/);
  }

  /** The token that the service made on its first start. */
  async token(): Promise<string> {
    return (await readFile(join(this.dataDir, 'token'), 'utf8')).trim();
  }

  get dataDir(): string {
    return this.#options.dataDir ?? this.#dataDir;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Processes that the service has started and that run now, including their children. */
  get descendants(): readonly ProcessInfo[] {
    return this.pid === undefined ? [] : descendantsOf(this.pid);
  }

  /** Everything printed so far, both streams. */
  get output(): string {
    return this.#lines.map(({ text }) => text).join('\n');
  }

  /** Resolves when the service has ended on its own. */
  async ended(): Promise<Pick<Ended, 'code' | 'signal'>> {
    const child = this.#child;
    if (child === undefined) return { code: null, signal: null };
    await this.#closed;
    return { code: child.exitCode, signal: child.signalCode };
  }

  /** Sends the signal, waits for the end, removes the data folder. Safe to call twice and before `start`. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    const descendants = this.#child?.pid === undefined ? [] : descendantsOf(this.#child.pid);
    const startedAt = performance.now();
    if (!this.#hasEnded()) this.#child?.kill(signal);
    const giveUp = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_LIMIT_MS);
    const end = await this.ended();
    clearTimeout(giveUp);
    const ms = performance.now() - startedAt;
    let left = descendants.filter(isAlive);
    for (const end = performance.now() + LEFT_LIMIT_MS; left.length > 0 && performance.now() < end; ) {
      await passed(20);
      left = left.filter(isAlive);
    }
    if (this.#dataDir !== '') await rm(this.#dataDir, { recursive: true, force: true });
    return { ...end, ms, left: left.map(({ command }) => command.slice(0, 120)) };
  }

  /** Settings of every test, as environment: a flag of the test beats them. */
  #settings(): Record<string, string> {
    const kiosk = {
      FACEPLATE_HOST: 'chromium',
      FACEPLATE_KIOSK_HEADLESS: 'true',
      FACEPLATE_KIOSK_DEBUG_PORT: '0',
    };
    return {
      FACEPLATE_DATA_DIR: this.dataDir,
      FACEPLATE_HTTP_HOST: '127.0.0.1',
      FACEPLATE_HTTP_PORT: '0',
      ...(this.#options.kiosk ? kiosk : { FACEPLATE_HOST: 'none' }),
    };
  }

  #hasEnded(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  #find(pattern: RegExp): { readonly match: RegExpExecArray; readonly at: number } | undefined {
    for (const { text, at } of this.#lines.toReversed()) {
      const match = pattern.exec(text);
      if (match) return { match, at };
    }
    return undefined;
  }

  #add(line: string): void {
    this.#lines.push({ text: line, at: performance.now() });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #nextLine(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.#waiting.add(done);
    });
  }
}

/** Settings of the person who runs the tests must not reach the service under test. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FACEPLATE_')));
}

/** A running process, as /proc shows it. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Start time in clock ticks since boot: with the pid it identifies one process for good. */
  readonly startedAt: string;
  readonly command: string;
}

/** Fields of /proc/<pid>/stat (proc_pid_stat(5)); undefined for a process that is gone or a zombie. */
function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may itself hold blanks and brackets.
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), startedAt: rest[17] ?? '', command: command || `process ${pid}` };
  } catch {
    return undefined;
  }
}

function descendantsOf(root: number): ProcessInfo[] {
  const all = readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .map(readProcess)
    .filter((info) => info !== undefined);
  const found = new Set([root]);
  // Parents may come after their children in the list: repeat until nothing is added.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return all.filter(({ pid }) => found.has(pid));
}

/** Whether exactly this process still runs; a zombie does not. */
export function isAlive({ pid, startedAt }: ProcessInfo): boolean {
  return readProcess(pid)?.startedAt === startedAt;
}
