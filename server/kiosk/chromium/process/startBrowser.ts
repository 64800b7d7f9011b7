import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { withTimeLimit, withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import { askStarter, type BrowserRequest, doJob } from '../../../platform/kioskJobs.ts';
import type { LogLine } from '../../../platform/log.ts';
import type { KioskUser } from '../../../platform/privileges.ts';
import { asUser } from '../../../platform/privileges.ts';
import { memoryOf, memoryOfGroup, processTree } from '../../../platform/processes.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import { type BrowserRun, CannotRunError, NoScreenError } from './browserRun.ts';

/** What a run of the browser logs with. */
interface RunLog {
  trace(what: object, words: LogLine): void;
  debug(what: object, words: LogLine): void;
  warn(what: object, words: LogLine): void;
}

export interface OwnBrowserOptions {
  readonly binary: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly log: RunLog;
  readonly clock: Clock;
}

/** How long helpers may take to end on their own once the browser is gone, in milliseconds. */
const HELPERS_MS = 500;
const HELPERS_POLL_MS = 20;
/** The most characters of the browser's last output that are stored, and that an error carries. */
const KEPT_WORDS = 4_000;
const LAST_WORDS = 300;
/** What Chromium says when it can reach neither an X server nor a Wayland compositor (measured, Chromium 156). */
const NO_SCREEN = /Missing X server|Failed to connect to Wayland display|The platform failed to initialize/;

/**
 * Starts the browser as our child, in a new process group.
 * @param isWanted asked last, right before the start
 * @throws CannotRunError with one sentence when it cannot run
 */
export async function startOwnBrowser(
  { binary, flags, env, user, log, clock }: OwnBrowserOptions,
  isWanted: () => boolean,
): Promise<BrowserRun> {
  const [program, ...args] = user === undefined ? [binary, ...flags] : asUser(user, binary, flags);
  // Checked here: with a wrapper program in front of the browser, only the wrapper would see the error.
  await access(binary, constants.X_OK).catch((error) => Promise.reject(cannotRun(binary, error)));
  if (!isWanted()) throw new Error('The browser was stopped while it started.');
  const child = spawn(program!, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env,
    cwd: '/',
    detached: true,
  });
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-KEPT_WORDS);
    log.trace({ browser: text }, 'browser: output');
  });
  const [, , , commands, messages] = child.stdio as unknown as [null, null, Readable, Writable, Readable];
  const group = new ProcessGroup(child.pid, clock);
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => {
      messages.destroy();
      void group.gone().then(resolve);
    });
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw cannotRun(program!, error);
  }
  return {
    commands,
    messages,
    exited,
    lastWords: () => words.slice(-LAST_WORDS).trim(),
    lacksScreen: () => NO_SCREEN.test(words),
    memory: async () => (child.pid === undefined ? 0 : memoryOf(processTree(child.pid))),
    terminate: () => group.signal('SIGTERM'),
    kill: () => group.signal('SIGKILL'),
  };
}

/** The browser and its helpers. */
class ProcessGroup {
  readonly #pid: number | undefined;
  readonly #clock: Clock;

  constructor(pid: number | undefined, clock: Clock) {
    this.#pid = pid;
    this.#clock = clock;
  }

  /** Helpers end on their own, after they have written their data; nothing of this run may outlive it for long. */
  async gone(): Promise<void> {
    for (let waited = 0; waited < HELPERS_MS; waited += HELPERS_POLL_MS) {
      if (!this.signal(0)) return;
      await new Promise<void>((resolve) => this.#clock.after(HELPERS_POLL_MS, resolve));
    }
    this.signal('SIGKILL');
  }

  /** @returns false when nothing of the group is left (ESRCH). */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#pid === undefined) return false;
    try {
      return process.kill(-this.#pid, signal);
    } catch {
      return false;
    }
  }
}

function cannotRun(program: string, error: unknown): CannotRunError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOENT' ? 'there is no such program' : code;
  return new CannotRunError(`The browser ${program} cannot be started: ${reason}.`, { cause: error });
}

interface StartedBrowserOptions {
  /** The starter's socket. */
  readonly starter: string;
  readonly wish: BrowserRequest;
  /** The service's environment, which names the same screen as the starter's. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly log: RunLog;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** How long the starter may take to end the rest of a browser, in milliseconds. After that the next start does it. */
const END_MS = 2_000;

/**
 * Asks the starter to start the browser as the kiosk's user; the connection to the starter becomes the debugging pipe.
 * @throws NoScreenError, Error with one sentence
 */
export async function startBrowserByStarter(options: StartedBrowserOptions): Promise<BrowserRun> {
  const { starter, wish, env, log, clock, limits } = options;
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  const asked = askStarter(starter, { job: 'browser', ...wish }, { signal });
  const begun = await withTimeLimit(clock, limits.starter, asked);
  if (begun === undefined) {
    asked.catch(() => undefined);
    late.abort();
    throw new Error('The starter of the kiosk did not answer.');
  }
  const { answer, socket } = begun;
  const { pid, group } = answer;
  if (pid === undefined) {
    socket.destroy();
    if (answer.noScreen) throw new NoScreenError(env);
    throw new Error(answer.error ?? 'The starter of the kiosk started no browser.');
  }
  let ending: Promise<unknown> | undefined;
  // Once: each job is a program of its own, and a slow panel that brings its page back is busy enough.
  const end = () => {
    ending ??= withTimeout(
      clock,
      END_MS,
      doJob(starter, { job: 'end', pid }).catch((error: Error) =>
        log.warn({ err: error }, 'browser: could not ask the starter to end it'),
      ),
    );
    return ending;
  };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // Without the other side's end the socket would stay half open.
  socket.once('end', () => socket.destroy());
  socket.on('error', (error) => log.debug({ err: error }, 'browser: connection closed'));
  return {
    commands: socket,
    messages: socket,
    // Its helpers end with it; the starter makes sure of that.
    exited: closed.then(end).then(() => undefined),
    lastWords: () => '',
    lacksScreen: () => false,
    // The starter is a program of its own for each job: asked twice a minute, it keeps the panel and its disk busy.
    memory: async () =>
      (group === undefined ? undefined : await memoryOfGroup(group)) ??
      (await doJob(starter, { job: 'memory', pid })).bytes ??
      0,
    // A browser ends when its debugging pipe does.
    terminate: () => socket.end(),
    kill: () => {
      void end().then(() => socket.destroy());
    },
  };
}
