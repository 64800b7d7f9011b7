import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../config/settings.ts';
import { backgroundClock } from '../platform/clock.ts';
import type { BrowserOrigins } from '../platform/kioskJobs.ts';
import type { Logger, LogLine } from '../platform/log.ts';
import {
  type BrowserProgram,
  type BrowserStart,
  programOf,
  readyProfile,
} from './chromium/browserProgram.ts';
import { browserLimits } from './chromium/chromiumHostOptions.ts';
import type { BegunBrowser, BrowserRun } from './chromium/process/browserRun.ts';
import { startBrowserByStarter, startOwnBrowser } from './chromium/process/startBrowser.ts';
import type { HostDependencies } from './host.ts';
import type { KioskSession } from './session.ts';

/**
 * Makes the browser that `chooseHost` will want, to be started before the rest of the service.
 * @param ahead the browser that runs already: it is the result where it is the right one, else it is ended
 * @returns undefined where the page is shown by something else, or by nothing
 */
export function earlyBrowser(
  facts: Pick<HostDependencies, 'settings' | 'session' | 'log'>,
  origins: BrowserOrigins,
  ahead?: EarlyBrowser,
): EarlyBrowser | undefined {
  const { settings, session, log } = facts;
  const shows = settings.host !== 'none' && settings.host !== 'electron';
  const browser = shows ? browserStart(facts) : undefined;
  // The host says what is wrong.
  if (browser === undefined || (process.getuid?.() === 0 && browser.user === undefined)) {
    void ahead?.stop();
    return undefined;
  }
  const options = { ...browser, apps: !browser.headless && session.sway !== undefined, ...origins, log };
  return ahead?.isFor(options) ? ahead : new EarlyBrowser(options, ahead);
}

/** The settings that decide how the system's Chromium is started. */
type StartSettings = Pick<
  Settings,
  | 'kiosk.headless'
  | 'kiosk.debugPort'
  | 'kiosk.fakeMedia'
  | 'kiosk.userAgent'
  | 'kiosk.scrollbars'
  | 'kiosk.screenReader'
  | 'kiosk.browserArguments'
  | 'kiosk.secureOrigins'
>;

/** How the system's Chromium is started; undefined where there is none. */
export function browserStart({
  settings,
  session,
}: {
  readonly settings: StartSettings;
  readonly session: KioskSession;
}): BrowserStart | undefined {
  const { browser: binary, profileDir, user, starter } = session;
  if (binary === undefined) return undefined;
  const setting = settings['kiosk.headless'];
  const debugPort = settings['kiosk.debugPort'];
  return {
    binary,
    profileDir,
    headless: setting === 'auto' ? !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY : setting,
    debugPort: debugPort === 'off' ? undefined : debugPort,
    user,
    starter,
    fakeMedia: settings['kiosk.fakeMedia'],
    browserExtras: {
      userAgent: settings['kiosk.userAgent'],
      scrollbars: settings['kiosk.scrollbars'],
      screenReader: settings['kiosk.screenReader'],
      browserArguments: settings['kiosk.browserArguments'],
      secureOrigins: settings['kiosk.secureOrigins'],
    },
    env: process.env,
  };
}

interface EarlyBrowserOptions extends BrowserStart, BrowserOrigins {
  /** Whether its windows are bare. */
  readonly apps: boolean;
  /** Undefined while there is none. */
  readonly log: Logger | undefined;
}

/**
 * The browser's program, started while the service still starts, for it needs as long as the service itself. It shows its
 * empty window; no command reaches it before the host takes it, and then all guards are set before any page.
 */
export class EarlyBrowser implements BegunBrowser {
  readonly #options: EarlyBrowserOptions;
  readonly #before: EarlyBrowser | undefined;
  readonly #stopping = new AbortController();
  profileDir: string;
  #log: Logger | undefined;
  #program: BrowserProgram | undefined;
  /** Undefined once somebody has it. */
  #run: Promise<BrowserRun | undefined> | undefined;
  /** The same, once it runs. */
  #running: BrowserRun | undefined;

  /** @param before another one, which ends first: two browsers cannot have one profile */
  constructor(options: EarlyBrowserOptions, before?: EarlyBrowser) {
    this.#options = options;
    this.#before = before;
    this.#log = options.log;
    this.profileDir = options.profileDir;
  }

  /** Whether it was started with just this. If so, `options.log` is its log from now on. */
  isFor(options: EarlyBrowserOptions): boolean {
    const { log, ...wanted } = options;
    const { log: _, ...own } = this.#options;
    if (!isDeepStrictEqual(wanted, own)) return false;
    this.#log = log;
    return true;
  }

  /**
   * Resolves once the program runs, for loading the rest of the service would hold up the steps to it; at once where the
   * starter is asked. A program that cannot be started is the host's to report, with its own try.
   */
  async start(): Promise<void> {
    this.#run ??= this.#begin().catch((error: Error) => {
      this.#log?.debug({ err: error }, 'browser: could not start early');
      return undefined;
    });
    if (this.#options.starter === undefined) await this.#run;
  }

  async take(program: BrowserProgram): Promise<BrowserRun | undefined> {
    const run = await this.#run;
    this.#run = this.#running = undefined;
    if (run === undefined || isDeepStrictEqual(program, this.#program)) return run;
    this.#log?.debug('browser: the settings changed after the early start');
    await ended(run);
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const run = await this.#run;
    this.#run = this.#running = undefined;
    if (run !== undefined) await ended(run);
  }

  /** Ends a browser that was not taken, at once: the service ends. */
  kill(): void {
    this.#stopping.abort();
    this.#running?.kill();
  }

  async #begin(): Promise<BrowserRun> {
    await this.#before?.stop();
    const { apps, loginOrigins, cookieOrigins } = this.#options;
    const origins = { loginOrigins, cookieOrigins };
    this.profileDir = await readyProfile(this.#options, origins);
    const program = await programOf({ ...this.#options, profileDir: this.profileDir }, apps, origins);
    this.#program = program;
    const { signal } = this.#stopping;
    const { starter, ...own } = program;
    const log = {
      trace: (what: object, words: LogLine) => this.#log?.trace(what, words),
      debug: (what: object, words: LogLine) => this.#log?.debug(what, words),
      warn: (what: object, words: LogLine) => this.#log?.warn(what, words),
    };
    const tools = { ...own, log, clock: backgroundClock };
    this.#running =
      starter === undefined
        ? await startOwnBrowser(tools, () => !signal.aborted)
        : await startBrowserByStarter({
            ...tools,
            starter: starter.path,
            wish: starter.wish,
            signal,
            limits: browserLimits(),
          });
    return this.#running;
  }
}

async function ended(run: BrowserRun): Promise<void> {
  run.kill();
  await run.exited;
}
