import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { BridgeSink, KioskHost, OpenedPage, OwnPage, RecoveryCause } from '../host.ts';
import { mustShow } from '../mayShow.ts';
import { PageConsole } from '../pageConsole.ts';
import { PageKeeper } from '../pageKeeper.ts';
import { defaultLimits, type Recovery } from '../recovery.ts';
import type { Browser } from './browser.ts';
import { CannotRunError, NoScreenError } from './browserProcess.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { Curtain } from './curtain.ts';
import { announceDebugPort, forgetDebugPort } from './debugPort.ts';
import type { KioskPage, PageTrouble } from './kioskPage.ts';
import { newBrowser } from './newBrowser.ts';
import { OwnPages } from './ownPages.ts';
import { prepareProfileDir } from './profileDir.ts';

/** The kiosk in the system's Chromium, steered over its debugging pipe; brings its page back whatever happens to it. */
export class ChromiumHost implements KioskHost {
  readonly kind = 'chromium';
  readonly #options: ChromiumHostOptions;
  readonly #clock: Clock;
  readonly #keeper: PageKeeper<KioskPage>;
  readonly #console: PageConsole;
  #sink: BridgeSink | undefined;
  #home = 'about:blank';
  #browser: Browser | undefined;
  #running: AbortController | undefined;
  /** The end of a browser that was asked to go. */
  #leaving: Promise<void> | undefined;
  #notShown: string | undefined;
  readonly #curtain: Curtain;
  readonly #own: OwnPages;

  constructor(options: ChromiumHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#curtain = new Curtain({ browser: () => this.#browser, log: options.log });
    this.#own = new OwnPages({
      browser: () => this.#browser,
      isAsleep: () => this.#curtain.isClosed,
      settle: () => this.#curtain.settle(),
      clock: this.#clock,
      log: options.log,
    });
    this.#console = new PageConsole(this.#clock, options.log);
    this.#keeper = new PageKeeper({
      page: {
        home: () => this.#home,
        goHome: () => this.#goHome(),
        showNotice: async (url) => {
          await this.#browser?.page
            ?.showNotice(url)
            .catch((error: Error) => options.log.debug({ err: error }, 'no waiting page'));
        },
        visible: () => this.#browser?.page,
        isAsleep: () => this.#curtain.isClosed,
        memory: async () => this.#browser?.memory(),
        renew: (cause) => this.#renew(cause),
        onHung: (page) => this.#onHung(page),
      },
      upkeep: options.upkeep,
      certificates: options.certificates,
      clock: this.#clock,
      limits: options.limits ?? defaultLimits,
      log: options.log,
    });
  }

  get #recovery(): Recovery {
    return this.#keeper.recovery;
  }

  /**
   * A browser that ends at once is tried again and again: the screen may come yet, its predecessor leave the profile.
   * @throws Error with one sentence when it can never run so; nothing is left running then
   */
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
      await this.#launch(this.#newBrowser(), signal).catch((error: Error) => {
        if (signal.aborted || error instanceof CannotRunError) throw error;
        this.#onNotStarted(error, signal);
      });
    } catch (error) {
      await this.stop();
      throw error;
    }
    // A stop that came while the page began to load has ended everything by now.
    if (!signal.aborted) this.#keeper.start();
  }

  async stop(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    this.#notShown = undefined;
    this.#keeper.stop();
    this.#curtain.forget();
    this.#own.forget();
    await Promise.all([this.#browser?.stop(), this.#leaving]);
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

  isWell(): boolean {
    return this.#keeper.heartbeat.isWell;
  }

  whyNotShown(): string | undefined {
    return this.#notShown;
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

  #onNotStarted(error: Error, signal: AbortSignal): void {
    // No restart of the service brings a screen, so it need not look unwell.
    if (error instanceof NoScreenError) this.#keeper.heartbeat.stop();
    if (this.#notShown !== error.message)
      this.#options.log.error({ reason: error.message }, 'the kiosk page is not shown');
    this.#notShown = error.message;
    this.#browser = undefined;
    this.#relaunchLater(signal, 'browser-exit');
  }

  #newBrowser(): Browser {
    return newBrowser(this.#options, {
      sink: this.#sink!,
      onTrouble: (trouble, why) => this.#onTrouble(trouble, why),
      onArrived: () => this.#keeper.arrived(),
      onActivity: () => {
        this.#keeper.touched();
        this.#options.onActivity?.();
      },
      console: this.#console,
      clock: this.#clock,
    });
  }

  async #launch(browser: Browser, signal: AbortSignal): Promise<void> {
    // Without a port the folder, which may be closed to us, is not looked at.
    if (this.#options.debugPort !== undefined) await forgetDebugPort(this.#options.profileDir);
    signal.throwIfAborted();
    this.#browser = browser;
    await browser.start();
    if (signal.aborted) await browser.stop();
    signal.throwIfAborted();
    void browser.exited.then(() => this.#onExit(browser, signal));
    announceDebugPort(this.#options, signal);
    this.#notShown = undefined;
    await this.#showAll();
    if (!signal.aborted) this.#keeper.heartbeat.start();
  }

  /** What the new window of a browser has to show. */
  async #showAll(): Promise<void> {
    await this.#own.restore();
    await this.#curtain.settle();
    await this.#goHome();
  }

  /** An error page, a crash or a closed window on the way is noticed and answered by itself. */
  async #goHome(): Promise<void> {
    try {
      await this.#browser?.page?.navigate(this.#home);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the kiosk page could not be shown');
      this.#keeper.outage.refusal = (error as Error).message;
      if (this.#running !== undefined && !this.#recovery.waiting)
        this.#recovery.schedule('page-unreachable', () => void this.#goHome());
    }
  }

  #onExit(browser: Browser, signal: AbortSignal): void {
    if (signal.aborted || this.#browser !== browser) return;
    this.#browser = undefined;
    this.#keeper.hung.forget();
    this.#recovery.count('browser-exit');
    this.#relaunchLater(signal, 'browser-exit');
  }

  #relaunchLater(signal: AbortSignal, cause: RecoveryCause): void {
    this.#recovery.schedule(cause, () => {
      this.#launch(this.#newBrowser(), signal).then(
        () => this.#options.onBrowserBack?.(),
        (error: Error) => {
          if (!signal.aborted) this.#onNotStarted(error, signal);
        },
      );
    });
  }

  #onHung(page: KioskPage): void {
    const browser = this.#browser;
    // A browser that cannot even end its renderer hangs itself.
    this.#keeper.hung.end(page, () => this.#browser === browser && browser?.kill());
  }

  #renew(cause: RecoveryCause): void {
    const [browser, running] = [this.#browser, this.#running];
    if (browser === undefined || running === undefined) return;
    // A stuck one would not go when it is asked to; its end is noticed.
    if (cause === 'dead-page') {
      browser.kill();
      return;
    }
    this.#browser = undefined;
    this.#recovery.cancel();
    this.#leaving = browser.stop().then(() => {
      if (!running.signal.aborted) this.#relaunchLater(running.signal, cause);
    });
  }

  #onTrouble(trouble: PageTrouble | 'frame-crash' | 'window-closed', why?: string): void {
    const browser = this.#browser;
    if (this.#running === undefined || browser === undefined) return;
    if (trouble === 'window-closed') {
      this.#recovery.count(trouble);
      browser.openWindow().then(
        async () => {
          await this.#showAll();
          this.#options.onBrowserBack?.();
        },
        () => browser.kill(),
      );
      return;
    }
    if (trouble === 'page-unreachable') {
      if (why !== undefined) this.#keeper.outage.refusal = why;
      this.#keeper.outage.begin();
      return;
    }
    this.#keeper.hung.bringBack(trouble);
  }
}
