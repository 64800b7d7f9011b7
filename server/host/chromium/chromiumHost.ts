import { FaceplateError } from '../../contract/errors.ts';
import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import { type Clock, systemClock } from '../clock.ts';
import { DeadPageCheck } from '../deadPageCheck.ts';
import type { BridgeSink, HostPolicy, KioskHost, OpenedPage, OwnPage, RecoveryCause } from '../host.ts';
import { mustShow } from '../mayShow.ts';
import { defaultLimits, Recovery, type RecoveryLimits } from '../recovery.ts';
import { ServerOutage } from '../serverOutage.ts';
import { Browser } from './browser.ts';
import { CannotRunError } from './browserProcess.ts';
import { browserEnv, commandLine } from './commandLine.ts';
import { Curtain } from './curtain.ts';
import { findDebugPort, forgetDebugPort } from './debugPort.ts';
import { Heartbeat } from './heartbeat.ts';
import type { KioskPage, PageTrouble } from './kioskPage.ts';
import type { KioskUser } from './kioskUser.ts';
import { OwnPages } from './ownPages.ts';
import { type BridgeNames, randomNames } from './pageScript.ts';
import { prepareProfileDir } from './profileDir.ts';

export interface ChromiumHostOptions {
  /** Path of the browser, as from findChromium(). */
  readonly binary: string;
  /** The browser's own folder; made where it is missing, never removed. */
  readonly profileDir: string;
  readonly headless: boolean;
  /** A DevTools port on 127.0.0.1 beside the pipe, for tests; 0 = any free one; undefined = none. */
  readonly debugPort?: number | undefined;
  /** Called with the open DevTools port, again after every restart of the browser. */
  readonly onDebugPort?: (port: number) => void;
  /** Whom the browser runs as when the service is root, as from kioskUser(). */
  readonly user: KioskUser | undefined;
  readonly fakeMedia?: boolean;
  /** Whether a page that shows nothing though it has something to show is brought back. */
  readonly deadPageCheck?: boolean;
  /** Somebody uses the page; at most once per second. */
  readonly onActivity?: (() => void) | undefined;
  /** Somebody at the panel calls for the settings page. */
  readonly onSettingsCall?: (() => void) | undefined;
  /** The service's environment; the browser gets what it needs of it. */
  readonly env: NodeJS.ProcessEnv;
  readonly policy: HostPolicy;
  readonly spec: ContainerSpec;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
  /** Makes the names of one browser run. */
  readonly makeNames?: () => BridgeNames;
}

/** A browser that ends at once may only be waiting for its predecessor to leave the profile. */
const START_ATTEMPTS = 3;

/** The kiosk in the system's Chromium, steered over its debugging pipe; brings its page back whatever happens to it. */
export class ChromiumHost implements KioskHost {
  readonly kind = 'chromium';
  readonly #options: ChromiumHostOptions;
  readonly #clock: Clock;
  readonly #limits: RecoveryLimits;
  readonly #recovery: Recovery;
  #sink: BridgeSink | undefined;
  #home = 'about:blank';
  #browser: Browser | undefined;
  #running: AbortController | undefined;
  /** The renderer was killed because it hung; its crash is not another fault. */
  #killedHung = false;
  readonly #outage: ServerOutage;
  readonly #heartbeat: Heartbeat;
  readonly #curtain: Curtain;
  readonly #own: OwnPages;
  readonly #deadPage: DeadPageCheck;

  constructor(options: ChromiumHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? defaultLimits;
    this.#recovery = new Recovery(this.#limits, this.#clock, options.log);
    this.#curtain = new Curtain({ browser: () => this.#browser, log: options.log });
    this.#own = new OwnPages({
      browser: () => this.#browser,
      isAsleep: () => this.#curtain.isClosed,
      settle: () => this.#curtain.settle(),
      clock: this.#clock,
      log: options.log,
    });
    this.#outage = new ServerOutage({
      clock: this.#clock,
      recovery: this.#recovery,
      home: () => this.#home,
      goHome: () => this.#goHome(),
      showNotice: async (url) => {
        await this.#browser?.page
          ?.showNotice(url)
          .catch((error: Error) => options.log.debug({ err: error }, 'no waiting page'));
      },
    });
    this.#deadPage = new DeadPageCheck(this.#clock, {
      page: () =>
        this.#curtain.isClosed || this.#outage.isOn || this.#recovery.waiting
          ? undefined
          : this.#browser?.page,
      onDead: (attempt) => this.#reviveDeadPage(attempt),
    });
    this.#heartbeat = new Heartbeat(this.#limits, this.#clock, {
      // A page that is being brought back has no pulse to take.
      patient: () => (this.#recovery.waiting ? undefined : this.#browser?.page),
      onHung: (page) => this.#browser && this.#onHung(this.#browser, page),
    });
  }

  /** A new page first; where that does not help, a new browser. */
  #reviveDeadPage(attempt: number): void {
    this.#recovery.count('dead-page');
    if (attempt > 1) this.#browser?.kill();
    else this.#recovery.schedule('dead-page', () => void this.#goHome());
  }

  /** @throws Error with one sentence when the browser cannot be started; nothing is left running then. */
  async start(sink: BridgeSink, url: string): Promise<void> {
    if (this.#running !== undefined) throw new Error('The host is already started.');
    if (process.getuid?.() === 0 && this.#options.user === undefined)
      throw new Error('The browser must not run as root: name an unprivileged user in kiosk.user.');
    this.#sink = sink;
    this.#home = mustShow(this.#options.policy, url);
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      await prepareProfileDir(this.#options.profileDir, this.#options.user);
      await this.#launchFirst(signal);
    } catch (error) {
      await this.stop();
      throw error;
    }
    // A stop that came while the page began to load has ended everything by now.
    if (signal.aborted) return;
    this.#heartbeat.start();
    if (this.#options.deadPageCheck === true) this.#deadPage.start();
  }

  async stop(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    this.#recovery.cancel();
    this.#outage.end();
    this.#heartbeat.stop();
    this.#deadPage.stop();
    this.#curtain.forget();
    this.#own.forget();
    await this.#browser?.stop();
    this.#browser = undefined;
  }

  async navigate(url: string): Promise<void> {
    this.#home = mustShow(this.#options.policy, url);
    // A browser that is just being brought back shows it as soon as it is there.
    if (this.#browser?.page === undefined) return;
    this.#recovery.cancel();
    await this.#goHome();
  }

  async reload(): Promise<void> {
    await this.#openPage().reload();
  }

  async bringToFront(): Promise<void> {
    // A browser that is just being brought back comes to the front by itself.
    if (!this.#curtain.isClosed) await (this.#browser?.upper ?? this.#browser?.page)?.raise();
  }

  openOwn(page: OwnPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  sleep(onTouch: () => void): Promise<void> {
    return this.#curtain.close(onTouch);
  }

  wake(): Promise<void> {
    return this.#curtain.open();
  }

  async screenshot(): Promise<Uint8Array> {
    return (this.#browser?.dark ?? this.#openPage()).screenshot();
  }

  async clearCaches(origin: string): Promise<void> {
    await this.#openPage().clearCaches(origin);
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#recovery.counts;
  }

  #openPage(): KioskPage {
    const page = this.#browser?.page;
    if (page === undefined)
      throw new FaceplateError(
        'HARDWARE_ERROR',
        'The kiosk browser is not running now. Try again in a few seconds.',
      );
    return page;
  }

  async #launchFirst(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const begun = this.#newBrowser();
      try {
        await this.#launch(begun, signal);
        return;
      } catch (error) {
        if (signal.aborted || error instanceof CannotRunError || attempt === START_ATTEMPTS) throw error;
        this.#options.log.warn({ err: error }, 'the browser did not start; trying again');
        await new Promise<void>((resolve) => this.#clock.after(500 * attempt, resolve));
      }
    }
  }

  #newBrowser(): Browser {
    const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user } = this.#options;
    const { policy, spec, log, makeNames = randomNames } = this.#options;
    return new Browser({
      binary,
      flags: commandLine({ profileDir, headless, debugPort, fakeMedia }),
      env: browserEnv(env, profileDir, user),
      user,
      names: makeNames(),
      policy,
      spec,
      sink: this.#sink!,
      onTrouble: (trouble) => this.#onTrouble(trouble),
      onArrived: () => {
        this.#outage.end();
        this.#recovery.cancel();
      },
      onActivity: () => this.#options.onActivity?.(),
      onSettingsCall: () => this.#options.onSettingsCall?.(),
      log,
      clock: this.#clock,
    });
  }

  async #launch(browser: Browser, signal: AbortSignal): Promise<void> {
    await forgetDebugPort(this.#options.profileDir);
    signal.throwIfAborted();
    this.#browser = browser;
    await browser.start();
    if (signal.aborted) await browser.stop();
    signal.throwIfAborted();
    void browser.exited.then(() => this.#onExit(browser, signal));
    this.#announceDebugPort(signal);
    await this.#showAll();
  }

  /** What the new window of a browser has to show. */
  async #showAll(): Promise<void> {
    await this.#own.restore();
    await this.#curtain.settle();
    await this.#goHome();
  }

  #announceDebugPort(signal: AbortSignal): void {
    const { profileDir, debugPort, onDebugPort, log } = this.#options;
    if (debugPort === undefined || onDebugPort === undefined) return;
    findDebugPort(profileDir, debugPort, signal).then(onDebugPort, (error: Error) => {
      if (!signal.aborted) log.error({ err: error }, 'no DevTools port');
    });
  }

  /** An error page, a crash or a closed window on the way is noticed and answered by itself. */
  async #goHome(): Promise<void> {
    try {
      await this.#browser?.page?.navigate(this.#home);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the kiosk page could not be shown');
      this.#outage.refusal = (error as Error).message;
      if (this.#running !== undefined && !this.#recovery.waiting)
        this.#recovery.schedule('page-unreachable', () => void this.#goHome());
    }
  }

  #onExit(browser: Browser, signal: AbortSignal): void {
    if (signal.aborted || this.#browser !== browser) return;
    this.#browser = undefined;
    this.#killedHung = false;
    this.#recovery.count('browser-exit');
    this.#relaunchLater(signal);
  }

  #relaunchLater(signal: AbortSignal): void {
    this.#recovery.schedule('browser-exit', () => {
      this.#launch(this.#newBrowser(), signal).catch((error: Error) => {
        if (signal.aborted) return;
        this.#options.log.error({ err: error }, 'the browser did not come back');
        this.#relaunchLater(signal);
      });
    });
  }

  #onTrouble(trouble: PageTrouble | 'frame-crash' | 'window-closed'): void {
    const browser = this.#browser;
    if (this.#running === undefined || browser === undefined) return;
    if (trouble === 'window-closed') {
      this.#recovery.count(trouble);
      browser.openWindow().then(
        () => this.#showAll(),
        () => browser.kill(),
      );
      return;
    }
    if (trouble === 'page-unreachable') {
      this.#outage.begin();
      return;
    }
    const isHungEnd = trouble === 'renderer-crash' && this.#killedHung;
    // A hung page is counted when it is found.
    if (!isHungEnd) this.#recovery.count(trouble);
    this.#killedHung = false;
    this.#recovery.schedule(isHungEnd ? 'hung-page' : trouble, () => void this.#goHome());
  }

  #onHung(browser: Browser, page: KioskPage): void {
    this.#recovery.count('hung-page');
    this.#killedHung = true;
    page.crash();
    // A browser that cannot even do that hangs itself.
    this.#clock.after(this.#limits.heartbeatLimitMs, () => {
      if (this.#killedHung && this.#browser === browser) browser.kill();
    });
  }
}
