import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { type BrowserOrigins, noBrowserExtras } from '../../platform/kioskJobs.ts';
import { RepeatedCheck } from '../recovery/maintenance.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import type { BrowserProcessOptions } from './process/browserProcess.ts';
import { browserEnv, commandLine, withExtras } from './process/commandLine.ts';
import { readyProfileDir } from './process/profile.ts';

/** What decides how the browser's program is started; the same for each of its runs but for the logins. */
export type BrowserStart = Pick<
  ChromiumHostOptions,
  | 'binary'
  | 'profileDir'
  | 'headless'
  | 'debugPort'
  | 'user'
  | 'starter'
  | 'fakeMedia'
  | 'browserExtras'
  | 'env'
>;

/** The program with its arguments and environment, or what the starter is asked for. */
export type BrowserProgram = Pick<BrowserProcessOptions, 'binary' | 'flags' | 'env' | 'user' | 'starter'>;

/**
 * @param apps whether its windows are bare
 * @throws Error when the browser does not tell its version, where its name is changed
 */
export async function programOf(
  options: BrowserStart,
  apps: boolean,
  origins: BrowserOrigins,
): Promise<BrowserProgram> {
  const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user, starter } = options;
  const { browserExtras: extras = noBrowserExtras } = options;
  const ours = commandLine({ profileDir, headless, apps, debugPort, fakeMedia });
  const wish = { headless, apps, debugPort: debugPort ?? null, fakeMedia, ...origins, extras };
  return {
    binary,
    flags: starter === undefined ? await withExtras(ours, extras, { binary, headless }) : [],
    env: browserEnv(env, profileDir, user, extras),
    user,
    starter: starter === undefined ? undefined : { path: starter, wish },
  };
}

/**
 * Makes the profile ready for a program that is not running yet.
 * @returns its folder: `profileDir`, or one in memory where that takes no writes. @throws Error with one sentence
 */
export async function readyProfile(start: BrowserStart, origins: BrowserOrigins): Promise<string> {
  const { starter, debugPort, browserExtras = noBrowserExtras } = start;
  const { secureOrigins } = browserExtras;
  const profileDir =
    starter === undefined ? await readyProfileDir(start, { ...origins, secureOrigins }) : start.profileDir;
  // Without a port, do not look into the folder: we may have no access to it.
  if (debugPort !== undefined) await forgetDebugPort(profileDir);
  return profileDir;
}

/** How often a disk without room is looked at, in milliseconds. */
const ROOM_EVERY_MS = 10_000;

/**
 * A browser whose profile is in memory, because the disk took no writes: its pages have lost their logins. It is started
 * anew as soon as the disk takes writes again.
 */
export class RoomWatch {
  readonly #options: Pick<ChromiumHostOptions, 'profileDir' | 'starter' | 'whyNoRoom' | 'log'>;
  readonly #startAnew: () => void;
  readonly #check: RepeatedCheck;

  constructor(
    options: Pick<ChromiumHostOptions, 'profileDir' | 'starter' | 'whyNoRoom' | 'log'>,
    clock: Clock,
    startAnew: () => void,
  ) {
    this.#options = options;
    this.#startAnew = startAnew;
    this.#check = new RepeatedCheck(clock, ROOM_EVERY_MS, () => this.#look());
  }

  /** @param profileDir where its profile is */
  async browserRuns(profileDir: string): Promise<void> {
    const { starter, whyNoRoom, log } = this.#options;
    this.#check.stop();
    const isOwn = profileDir === this.#options.profileDir;
    // The starter chooses by itself, on the same disk.
    if (whyNoRoom === undefined || (starter === undefined && isOwn)) return;
    const reason = await whyNoRoom();
    if (isOwn && reason === undefined) return;
    log.error({ reason }, 'browser: the disk takes no writes, what pages store is lost at the next start');
    this.#check.start();
  }

  stop(): void {
    this.#check.stop();
  }

  async #look(): Promise<void> {
    if ((await this.#options.whyNoRoom?.()) !== undefined || !this.#check.isOn) return;
    this.#check.stop();
    this.#options.log.info('browser: the disk takes writes again, starting anew');
    this.#startAnew();
  }
}

/** How long the browser may take to open its DevTools port, in milliseconds. */
const LIMIT_MS = 10_000;
const EVERY_MS = 50;

/** Removes the port of an earlier run, so that `findDebugPort` cannot read it. */
async function forgetDebugPort(profileDir: string): Promise<void> {
  await rm(portFile(profileDir), { force: true });
}

/**
 * Waits until the DevTools port is open. For port 0 the browser writes the one it chose to `DevToolsActivePort`.
 *
 * @throws Error when it is not open in time, or the signal aborts.
 */
async function findDebugPort(profileDir: string, wanted: number, signal: AbortSignal): Promise<number> {
  for (let waited = 0; waited < LIMIT_MS; waited += EVERY_MS) {
    const port = wanted === 0 ? await chosenPort(profileDir) : wanted;
    if (port !== undefined && (await isOpen(port))) return port;
    await sleep(EVERY_MS, undefined, { signal });
  }
  throw new Error('The browser did not open its DevTools port.');
}

/** Reports the DevTools port of a browser that has just started, once it is open. */
export function announceDebugPort(
  options: Pick<ChromiumHostOptions, 'profileDir' | 'debugPort' | 'onDebugPort' | 'log'>,
  signal: AbortSignal,
): void {
  const { profileDir, debugPort, onDebugPort, log } = options;
  if (debugPort === undefined || onDebugPort === undefined) return;
  findDebugPort(profileDir, debugPort, signal).then(onDebugPort, (error: Error) => {
    if (!signal.aborted) log.error({ err: error }, 'browser: could not open the DevTools port');
  });
}

async function chosenPort(profileDir: string): Promise<number | undefined> {
  const text = await readFile(portFile(profileDir), 'utf8').catch(() => '');
  const port = Number(text.split('\n')[0]);
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function portFile(profileDir: string): string {
  return join(profileDir, 'DevToolsActivePort');
}
