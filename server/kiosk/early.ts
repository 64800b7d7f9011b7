import { isDeepStrictEqual } from 'node:util';
import { backgroundClock } from '../platform/clock.ts';
import type { BrowserOrigins } from '../platform/kioskJobs.ts';
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

/**
 * Makes the browser that `chooseHost` will want, to be started before the rest of the service.
 * @returns undefined where the page is shown by something else, or by nothing
 */
export function earlyBrowser(
  facts: Pick<HostDependencies, 'settings' | 'session' | 'log'>,
  origins: BrowserOrigins,
): EarlyBrowser | undefined {
  const { settings, session } = facts;
  if (settings.host === 'none' || settings.host === 'electron') return undefined;
  const browser = browserStart(facts);
  // The host says what is wrong.
  if (browser === undefined || (process.getuid?.() === 0 && browser.user === undefined)) return undefined;
  return new EarlyBrowser({
    ...browser,
    apps: !browser.headless && session.sway !== undefined,
    ...origins,
  });
}

/** How the system's Chromium is started; undefined where there is none. */
export function browserStart({
  settings,
  session,
  log,
}: Pick<HostDependencies, 'settings' | 'session' | 'log'>): BrowserStart | undefined {
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
    log,
  };
}

interface EarlyBrowserOptions extends BrowserStart, BrowserOrigins {
  /** Whether its windows are bare. */
  readonly apps: boolean;
}

/**
 * The browser's program, started while the service still starts, for it needs as long as the service itself. It shows its
 * empty window; no command reaches it before the host takes it, and then all guards are set before any page.
 */
export class EarlyBrowser implements BegunBrowser {
  readonly #options: EarlyBrowserOptions;
  readonly #stopping = new AbortController();
  profileDir: string;
  #program: BrowserProgram | undefined;
  /** Undefined once somebody has it. */
  #run: Promise<BrowserRun | undefined> | undefined;

  constructor(options: EarlyBrowserOptions) {
    this.#options = options;
    this.profileDir = options.profileDir;
  }

  /**
   * Resolves once the program runs, for loading the rest of the service would hold up the steps to it; at once where the
   * starter is asked. A program that cannot be started is the host's to report, with its own try.
   */
  async start(): Promise<void> {
    this.#run = this.#begin().catch((error: Error) => {
      this.#options.log.debug({ err: error }, 'browser: could not start early');
      return undefined;
    });
    if (this.#options.starter === undefined) await this.#run;
  }

  async take(program: BrowserProgram): Promise<BrowserRun | undefined> {
    const running = this.#run;
    this.#run = undefined;
    const run = await running;
    if (run === undefined || isDeepStrictEqual(program, this.#program)) return run;
    this.#options.log.debug('browser: the settings changed after the early start');
    await ended(run);
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const run = await this.#run;
    this.#run = undefined;
    if (run !== undefined) await ended(run);
  }

  async #begin(): Promise<BrowserRun> {
    const { apps, loginOrigins, cookieOrigins, log } = this.#options;
    const origins = { loginOrigins, cookieOrigins };
    this.profileDir = await readyProfile(this.#options, origins);
    const program = await programOf({ ...this.#options, profileDir: this.profileDir }, apps, origins);
    this.#program = program;
    const { signal } = this.#stopping;
    const { starter, ...own } = program;
    const tools = { ...own, log, clock: backgroundClock };
    if (starter === undefined) return startOwnBrowser(tools, () => !signal.aborted);
    return startBrowserByStarter({
      ...tools,
      starter: starter.path,
      wish: starter.wish,
      signal,
      limits: browserLimits(),
    });
  }
}

async function ended(run: BrowserRun): Promise<void> {
  run.kill();
  await run.exited;
}
