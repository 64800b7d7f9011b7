import type { GraphicsFacts } from '../../contract/system.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RecoveryCause } from '../host.ts';
import { noExtras } from '../pageExtras.ts';
import type { PageSupervisor } from '../recovery/pageSupervisor.ts';
import type { WindowStack } from '../windowStack.ts';
import type { Browser } from './browser.ts';
import {
  announceDebugPort,
  type BrowserProgram,
  programOf,
  RoomWatch,
  readyProfile,
} from './browserProgram.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { type BrowserRun, CannotRunError, NoScreenError } from './process/browserRun.ts';
import type { KioskPage } from './windows/kioskPage.ts';

interface BrowserRunsOptions {
  readonly host: ChromiumHostOptions;
  readonly clock: Clock;
  readonly supervisor: Pick<PageSupervisor<KioskPage>, 'browserBegins' | 'recovery' | 'heartbeat' | 'hung'>;
  /** Makes the browser of a run, which is not started yet. @param early its program, where it runs already */
  readonly make: (program: BrowserProgram, early: BrowserRun | undefined) => Browser;
  /** Shows all that there is to see in a browser that has just started. */
  readonly showAll: () => Promise<void>;
  /** Settles when its first picture is drawn, or when the screen is dark by itself. */
  readonly drawn: () => Promise<unknown>;
}

/** The runs of a host's browser: one at a time, the next one after its end. It begins each with what was asked for last. */
export class BrowserRuns {
  readonly #options: BrowserRunsOptions;
  readonly #room: RoomWatch;
  #running: AbortController | undefined;
  #browser: Browser | undefined;
  /** The end of a browser that is closing down. */
  #leaving: Promise<void> | undefined;
  #stack: WindowStack | undefined;
  #graphics: GraphicsFacts | undefined;
  #notShown: string | undefined;
  /** The logins that the browser was started with, and the pages that its frames keep cookies in. */
  #startedWith = { logins: '', cookieOrigins: [] as readonly string[] };

  constructor(options: BrowserRunsOptions) {
    this.#options = options;
    this.#room = new RoomWatch(options.host, options.clock, () => this.startAnew());
  }

  /** The browser that runs now. */
  get browser(): Browser | undefined {
    return this.#browser;
  }

  /** What places its windows. */
  get stack(): WindowStack | undefined {
    return this.#stack;
  }

  /** How it draws; undefined until it has answered. */
  get graphics(): GraphicsFacts | undefined {
    return this.#browser && this.#graphics;
  }

  /** Whether a browser is wanted, also while none runs. */
  get isStarted(): boolean {
    return this.#running !== undefined;
  }

  /** Why there is no browser on the screen, in one sentence. */
  get notShown(): string | undefined {
    return this.#notShown;
  }

  /**
   * Starts the browser, and retries when it ends at once: the screen may come up later, or an earlier browser may still
   * hold the profile.
   * @returns false where it was stopped meanwhile
   * @throws Error with one sentence when it can never run like this; something may run, until `stop`
   */
  async start(): Promise<boolean> {
    this.#running = new AbortController();
    const { signal } = this.#running;
    await this.#launch(signal).catch((error: Error) => {
      if (signal.aborted || error instanceof CannotRunError) throw error;
      this.#onNotStarted(error, signal);
    });
    return !signal.aborted;
  }

  async stop(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    this.#notShown = undefined;
    this.#room.stop();
    await Promise.all([this.#browser?.stop(), this.#leaving]);
    this.#browser = undefined;
    await this.#stack?.stop();
    this.#stack = undefined;
  }

  /** Ends the browser and starts the next one. @param cause makes it a recovery, which may have to wait */
  startAnew(cause?: RecoveryCause): void {
    const [browser, running] = [this.#browser, this.#running];
    if (browser === undefined || running === undefined) return;
    this.#browser = undefined;
    this.#options.supervisor.recovery.cancel();
    this.#leaving = browser.stop().then(() => {
      if (running.signal.aborted) return;
      if (cause === undefined) this.#relaunch(running.signal);
      else this.#relaunchLater(running.signal, cause);
    });
  }

  /** Opens the kiosk page's window once more, after it was closed. */
  openWindow(): void {
    const { showAll, host } = this.#options;
    const browser = this.#browser;
    browser?.openWindow().then(
      async () => {
        await showAll();
        host.onBrowserBack?.();
      },
      () => browser.kill(),
    );
  }

  /**
   * Whether it has to start anew for the logins or cookies that the settings now ask for. Cookies that are no longer wanted
   * can wait for another start, and so can those of a page that is only shown now: a change of page is no reason for a
   * dark screen.
   */
  get lacksOrigins(): boolean {
    const { logins, cookieOrigins } = this.#startedWith;
    const listed = this.#options.host.pageExtras?.cookieOrigins?.().listed ?? [];
    return this.#originsNow().logins !== logins || listed.some((origin) => !cookieOrigins.includes(origin));
  }

  /** What the browser learns only at its start: the origins that may ask for a login, with all about them as text. */
  #originsNow(): { loginOrigins: string[]; cookieOrigins: readonly string[]; logins: string } {
    const { pageExtras = noExtras } = this.#options.host;
    const logins = pageExtras.logins();
    return {
      loginOrigins: logins.map(({ origin }) => origin),
      cookieOrigins: pageExtras.cookieOrigins?.().all ?? [],
      logins: JSON.stringify(logins),
    };
  }

  async #launch(signal: AbortSignal): Promise<void> {
    const { host, supervisor, make, showAll, drawn } = this.#options;
    this.#stack = await this.#startStack();
    this.#stack?.cover?.(true);
    await supervisor.browserBegins();
    const { logins, ...origins } = this.#originsNow();
    this.#startedWith = { logins, cookieOrigins: origins.cookieOrigins };
    const wanted = (profileDir: string) =>
      programOf({ ...host, profileDir }, this.#stack?.windows === 'apps', origins);
    let profileDir = host.early?.profileDir ?? host.profileDir;
    let program = await wanted(profileDir);
    const early = await host.early?.take(program);
    if (early === undefined) {
      const ready = await readyProfile(host, origins);
      if (ready !== profileDir) program = await wanted(ready);
      profileDir = ready;
    }
    const browser = make(program, early);
    if (signal.aborted) early?.kill();
    signal.throwIfAborted();
    this.#browser = browser;
    await browser.start();
    if (signal.aborted) await browser.stop();
    signal.throwIfAborted();
    void browser.exited.then(() => this.#onExit(browser, signal));
    announceDebugPort({ ...host, profileDir }, signal);
    void this.#room.browserRuns(profileDir);
    this.#notShown = undefined;
    this.#askGraphics(browser);
    await showAll();
    // Not waited for: the browser runs, and the screen stays black until there is a picture.
    void drawn().then(() => this.#browser === browser && this.#stack?.cover?.(false));
    if (!signal.aborted) supervisor.heartbeat.start();
  }

  #askGraphics(browser: Browser): void {
    const { log } = this.#options.host;
    this.#graphics = undefined;
    browser.graphics().then(
      (facts) => {
        if (this.#browser !== browser) return;
        this.#graphics = facts;
        log.info(facts, 'browser: graphics');
      },
      (error: Error) => log.debug({ err: error }, 'browser: could not read how it draws'),
    );
  }

  /** Without it, windows that place themselves still do. @throws Error with one sentence when they need it */
  async #startStack(): Promise<WindowStack | undefined> {
    const { stack, log } = this.#options.host;
    try {
      await stack?.start();
      return stack;
    } catch (error) {
      if (stack?.windows === 'apps') throw error;
      log.warn({ err: error }, 'kiosk: could not place windows, an open layer fills the screen');
      return undefined;
    }
  }

  #onNotStarted(error: Error, signal: AbortSignal): void {
    const { host, supervisor } = this.#options;
    // A restart of the service cannot bring a screen, so the host does not report itself unhealthy.
    if (error instanceof NoScreenError) supervisor.heartbeat.stop();
    if (this.#notShown !== error.message)
      host.log.error({ reason: error.message }, 'kiosk: the page is not shown');
    this.#notShown = error.message;
    this.#browser = undefined;
    this.#stack?.cover?.(false);
    this.#relaunchLater(signal, 'browser-exit');
  }

  #onExit(browser: Browser, signal: AbortSignal): void {
    if (signal.aborted || this.#browser !== browser) return;
    const { hung, recovery } = this.#options.supervisor;
    this.#browser = undefined;
    this.#stack?.cover?.(true);
    hung.forget();
    recovery.count('browser-exit');
    this.#relaunchLater(signal, 'browser-exit');
  }

  #relaunchLater(signal: AbortSignal, cause: RecoveryCause): void {
    this.#options.supervisor.recovery.schedule(cause, () => this.#relaunch(signal));
  }

  #relaunch(signal: AbortSignal): void {
    this.#launch(signal).then(
      () => this.#options.host.onBrowserBack?.(),
      (error: Error) => {
        if (!signal.aborted) this.#onNotStarted(error, signal);
      },
    );
  }
}
