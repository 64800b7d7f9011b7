import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../observe/log.ts';
import { asUser } from '../../observe/privileges.ts';
import type { Clock } from '../clock.ts';
import { CdpPipe } from './cdpPipe.ts';
import type { CdpEvent, CdpSend } from './cdpProtocol.ts';
import type { KioskUser } from './kioskUser.ts';
import { within } from './within.ts';

export interface BrowserProcessOptions {
  readonly binary: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly onEvent: (event: CdpEvent) => void;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Patience with a browser that is asked to go, in milliseconds: first politely, then by SIGTERM. */
const CLOSE_MS = 1_500;
const TERMINATE_MS = 1_000;
/** How long helpers may take to end by themselves once the browser is gone, in milliseconds. */
const HELPERS_MS = 500;
const HELPERS_POLL_MS = 20;
/** Characters of the browser's last words that are kept, and how many of them an error carries. */
const KEPT_WORDS = 4_000;
const LAST_WORDS = 300;
/** What Chromium says when it can reach neither an X server nor a Wayland compositor (measured, Chromium 156). */
const NO_SCREEN = /Missing X server|Failed to connect to Wayland display|The platform failed to initialize/;

/** The program is missing or may not be run: trying again cannot help. */
export class CannotRunError extends Error {}

/** Nothing draws the browser's window: no X server and no Wayland compositor answers. It may come yet. */
export class NoScreenError extends Error {
  /** @param env the browser's environment, which names its screen */
  constructor(env: NodeJS.ProcessEnv, options?: ErrorOptions) {
    const named = ['WAYLAND_DISPLAY', 'DISPLAY'].filter((name) => env[name]);
    super(
      named.length === 0
        ? 'There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set.'
        : `There is no screen at ${named.map((name) => `${name}=${env[name]}`).join(' or ')}.`,
      options,
    );
  }
}

/** One run of the browser, in a process group of its own, with its debugging pipe. */
export class BrowserProcess {
  readonly #options: BrowserProcessOptions;
  #child: ChildProcess | undefined;
  #pipe: CdpPipe | undefined;
  #stderr = '';
  #isStopped = false;
  /** Resolves when the browser and all its helpers have ended, however they did. */
  exited: Promise<void> = Promise.resolve();

  constructor(options: BrowserProcessOptions) {
    this.#options = options;
  }

  /** Starts the program. @throws CannotRunError with one sentence when it cannot be run. */
  async start(): Promise<void> {
    const { binary, flags, env, user, log } = this.#options;
    const [program, ...args] = user === undefined ? [binary, ...flags] : asUser(user, binary, flags);
    // Said by ourselves: of what the program behind another one lacks, only that one would hear.
    await access(binary, constants.X_OK).catch((error) => Promise.reject(cannotRun(binary, error)));
    if (this.#isStopped) throw new Error('The browser was stopped while it started.');
    const child = spawn(program!, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      env,
      cwd: '/',
      detached: true,
    });
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_WORDS);
      log.trace({ browser: text }, 'browser');
    });
    const [, , , commands, messages] = child.stdio;
    const pipe = new CdpPipe(commands as Writable, messages as Readable, this.#options.onEvent);
    this.#pipe = pipe;
    pipe.open();
    this.exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => {
        pipe.close();
        void this.#groupGone().then(resolve);
      });
    });
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw cannotRun(program!, error);
    }
  }

  /** Sends a command over the pipe. */
  readonly send: CdpSend = (method, params, sessionId) => {
    if (this.#pipe === undefined) return Promise.reject(new Error('The browser is not started.'));
    return this.#pipe.send(method, params, sessionId);
  };

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The end of what the browser said on standard error. */
  get lastWords(): string {
    return this.#stderr.slice(-LAST_WORDS).trim();
  }

  /** Whether the browser said that it finds no screen. */
  get lacksScreen(): boolean {
    return NO_SCREEN.test(this.#stderr);
  }

  /** Ends the browser and all its helpers: asked first, then forced; within about 3.5 s. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#child === undefined) return;
    this.send('Browser.close', {}).catch(() => {});
    if (await this.#exitsWithin(CLOSE_MS)) return;
    this.#signalGroup('SIGTERM');
    if (await this.#exitsWithin(TERMINATE_MS)) return;
    this.kill();
    await this.exited;
  }

  /** Ends it at once; `exited` follows. */
  kill(): void {
    this.#signalGroup('SIGKILL');
  }

  /** Helpers end by themselves, after they have written what they hold; nothing of this run may outlive it for long. */
  async #groupGone(): Promise<void> {
    for (let waited = 0; waited < HELPERS_MS; waited += HELPERS_POLL_MS) {
      if (!this.#signalGroup(0)) return;
      await new Promise<void>((resolve) => this.#options.clock.after(HELPERS_POLL_MS, resolve));
    }
    this.#signalGroup('SIGKILL');
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const exited = this.exited.then(() => true);
    return (await within(this.#options.clock, ms, exited)) === true;
  }

  /** @returns false when nothing of the group is left (ESRCH). */
  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, signal);
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
