import type { Feed } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { GraphicsFacts } from '../../contract/system.ts';
import type { Rotation } from '../../parts/display/contract.ts';
import { backgroundClock, type Clock } from '../../platform/clock.ts';
import type { ConsoleEntry, PageState } from '../contract.ts';
import type {
  BridgeSink,
  BuiltInPage,
  KioskHost,
  Layer,
  LayerPage,
  LiveWatch,
  LiveWatcher,
  OpenedPage,
  PageSize,
  PictureFormat,
  RecoveryCause,
} from '../host.ts';
import { assertNavigationAllowed } from '../navigationPolicy.ts';
import { noExtras } from '../pageExtras.ts';
import { PageReport } from '../recovery/pageReport.ts';
import { PageSupervisor } from '../recovery/pageSupervisor.ts';
import type { PageUnreachable } from '../recovery/pageUnreachable.ts';
import { defaultLimits, type Recovery } from '../recovery/recovery.ts';
import type { WindowStack } from '../windowStack.ts';
import type { Browser } from './browser.ts';
import {
  announceDebugPort,
  type BrowserProgram,
  programOf,
  RoomWatch,
  readyProfile,
} from './browserProgram.ts';
import { browserLimits, type ChromiumHostOptions } from './chromiumHostOptions.ts';
import { LiveView } from './live/liveView.ts';
import { connectAnew, evaluate } from './live/target.ts';
import { chromiumPages, newBrowser } from './newBrowser.ts';
import { type BrowserRun, CannotRunError, NoScreenError } from './process/browserRun.ts';
import type { KioskPage, PageTrouble } from './windows/kioskPage.ts';
import { ChromiumLayers } from './windows/layers.ts';
import { PageView } from './windows/pageView.ts';
import { ScreenBlanker } from './windows/screenBlanker.ts';

/** Shows the kiosk in the system's Chromium over its debugging pipe, and brings the page back after any failure. */
export class ChromiumHost implements KioskHost {
  readonly kind = 'chromium';
  readonly #options: ChromiumHostOptions;
  readonly #clock: Clock;
  readonly #supervisor: PageSupervisor<KioskPage>;
  readonly #report: PageReport;
  #sink: BridgeSink | undefined;
  #home = 'about:blank';
  #navigations = 0;
  /** The logins that the browser was started with, and the pages that its frames keep cookies in. */
  #startedWith = { logins: '', cookieOrigins: [] as readonly string[] };
  #browser: Browser | undefined;
  #graphics: GraphicsFacts | undefined;
  #running: AbortController | undefined;
  /** The end of a browser that is closing down. */
  #leaving: Promise<void> | undefined;
  #notShown: string | undefined;
  readonly #limits = browserLimits();
  /** The page was sent home; what stood there before, such as the mark of a crash, holds the focus until it comes. */
  #wantsFocus = false;
  readonly #screenBlanker: ScreenBlanker;
  readonly #own: ReturnType<typeof chromiumPages>;
  readonly #layers: ChromiumLayers;
  readonly #live: LiveView;
  #screenSize: PageSize = { width: 1280, height: 800 };
  readonly #view: PageView;
  #rotation: Rotation = 0;
  /** What places the windows of the browser that runs now. */
  #stack: WindowStack | undefined;
  readonly #room: RoomWatch;

  constructor(options: ChromiumHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#view = new PageView(this.#clock);
    this.#room = new RoomWatch(options, this.#clock, () =>
      this.#startAnew((signal) => this.#relaunch(signal)),
    );
    this.#screenBlanker = new ScreenBlanker({
      browser: () => this.#browser,
      isCovered: () => this.#layers.isCovering,
      log: options.log,
    });
    const tools = { clock: this.#clock, log: options.log };
    this.#own = chromiumPages(() => this.#browser, this.#screenBlanker, tools);
    this.#layers = new ChromiumLayers({
      browser: () => this.#browser,
      headless: options.headless,
      stack: () => this.#stack,
      pageDrawn: () => this.#report.watch.settled(),
      settle: () => this.#screenBlanker.settle(),
      ...tools,
    });
    this.#report = new PageReport({
      ...tools,
      page: () => this.#supervisor.shown,
      readable: options.pageExtras?.readable,
      onState: (state) => options.onPageState?.(state),
      onTrouble: (state) => options.onPageTrouble?.(state),
    });
    this.#live = new LiveView({
      target: () => this.#browser?.live,
      isAsleep: () => this.#screenBlanker.isClosed,
      wake: () => this.#screenBlanker.touch(),
      ...tools,
    });
    this.#supervisor = new PageSupervisor({
      page: {
        home: () => this.#home,
        goHome: () => this.#goHome(),
        reloadFresh: async () => this.#browser?.page?.reload(true),
        clearCaches: (origin) => this.clearCaches(origin),
        connectAnew: async () => {
          const live = this.#browser?.page?.live;
          if (live !== undefined) await connectAnew(live.send);
        },
        showNotice: async (url) => {
          await this.#browser?.page
            ?.showNotice(url)
            .catch((error: Error) =>
              options.log.debug({ err: error }, 'kiosk: could not show the waiting page'),
            );
        },
        visible: () => this.#browser?.page,
        isAsleep: () => this.#screenBlanker.isClosed,
        memory: () => this.memory(),
        renew: (cause) => this.#renew(cause),
        program: options.binary,
        onHung: (page) => this.#onHung(page),
      },
      report: this.#report,
      recoverySettings: options.recoverySettings,
      certificates: options.certificates,
      clock: this.#clock,
      limits: options.limits ?? defaultLimits,
      log: options.log,
    });
  }

  get #recovery(): Recovery {
    return this.#supervisor.recovery;
  }

  /**
   * Starts the browser, and retries when it ends at once: the screen may come up later, or an earlier browser may still
   * hold the profile.
   * @throws Error with one sentence when it can never run like this; nothing is left running then
   */
  async start(sink: BridgeSink, url: string): Promise<void> {
    if (this.#running !== undefined) throw new Error('The host is already started.');
    if (process.getuid?.() === 0 && this.#options.user === undefined)
      throw new Error('The browser must not run as root: name an unprivileged user in kiosk.user.');
    this.#sink = sink;
    this.#home = assertNavigationAllowed(this.#options.policy, url);
    this.#report.watch.wanted(this.#home);
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      await this.#launch(signal).catch((error: Error) => {
        if (signal.aborted || error instanceof CannotRunError) throw error;
        this.#onNotStarted(error, signal);
      });
    } catch (error) {
      await this.stop();
      throw error;
    }
    // A stop during the start of the load has already ended everything.
    if (!signal.aborted) this.#supervisor.start();
  }

  async stop(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    this.#notShown = undefined;
    this.#supervisor.stop();
    this.#report.stop();
    this.#room.stop();
    this.#screenBlanker.forget();
    this.#own.forget();
    this.#layers.forget();
    await Promise.all([this.#browser?.stop(), this.#leaving]);
    this.#browser = undefined;
    await this.#stack?.stop();
    this.#stack = undefined;
  }

  async navigate(url: string): Promise<void> {
    this.#home = assertNavigationAllowed(this.#options.policy, url);
    this.#report.watch.leaving(this.#home);
    // While the browser restarts, the new one shows it as soon as it is there.
    if (this.#browser?.page === undefined) return;
    this.#recovery.cancel();
    await this.#goHome();
  }

  async memory(): Promise<number | undefined> {
    return this.#browser?.memory();
  }

  async reload(): Promise<void> {
    await this.#openPage().reload();
  }

  async bringToFront(): Promise<void> {
    // A browser that restarts comes to the front without help.
    if (this.#screenBlanker.isClosed) return;
    await (this.#browser?.upper ?? this.#browser?.page)?.raise();
    await this.#layers.raise();
  }

  openBuiltIn(page: BuiltInPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  async openLayer(page: LayerPage): Promise<Layer> {
    return this.#layers.open(page);
  }

  screenSize(): PageSize {
    return this.#screenSize;
  }

  async pressKey(key: string): Promise<void> {
    await this.#browser?.typing.press(key);
  }

  async makeRoom(height: number): Promise<void> {
    await this.#browser?.typing.makeRoom(height);
  }

  async sleep(onTouch: () => void): Promise<void> {
    await this.#screenBlanker.close(onTouch);
    this.#live.follow();
  }

  async wake(): Promise<void> {
    await this.#screenBlanker.open();
    this.#live.follow();
  }

  async zoom(factor: number): Promise<void> {
    this.#view.zoom(factor);
    await this.#browser?.applyView();
    this.#live.follow();
  }

  async turn(rotation: Rotation, isTurned: boolean): Promise<boolean> {
    const lies = (rotation - this.#rotation) % 180 !== 0;
    this.#rotation = rotation;
    if (isTurned) await this.#browser?.screenChanged(lies);
    else if (!this.#options.headless) return rotation === 0;
    else {
      this.#view.turn(rotation);
      await this.#browser?.applyView();
    }
    this.#live.follow();
    return true;
  }

  watch(watcher: LiveWatcher): LiveWatch {
    return this.#live.watch(watcher);
  }

  async evaluate(expression: string): Promise<string> {
    return evaluate(this.#openPage().live.send, this.#clock, expression);
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const above = this.#browser?.dark ?? this.#layers.covering;
    return (above ?? this.#openPage()).screenshot(format);
  }

  async clearCaches(origin: string): Promise<void> {
    await this.#openPage().clearCaches(origin);
  }

  async clearStorage(origin: string): Promise<void> {
    await this.#openPage().clearStorage(origin);
  }

  isWell(): boolean {
    return this.#supervisor.heartbeat.isWell;
  }

  whyNotShown(): string | undefined {
    return this.#notShown;
  }

  hasScreen(): boolean {
    return !this.#options.headless && this.#notShown === undefined;
  }

  graphics(): GraphicsFacts | undefined {
    return this.#browser && this.#graphics;
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#recovery.counts;
  }

  pageState(): PageState {
    return this.#report.watch.state;
  }

  pageConsole(): Feed<ConsoleEntry> {
    return this.#report.feed();
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
    // A restart of the service cannot bring a screen, so the host does not report itself unhealthy.
    if (error instanceof NoScreenError) this.#supervisor.heartbeat.stop();
    if (this.#notShown !== error.message)
      this.#options.log.error({ reason: error.message }, 'kiosk: the page is not shown');
    this.#notShown = error.message;
    this.#browser = undefined;
    this.#stack?.cover?.(false);
    this.#relaunchLater(signal, 'browser-exit');
  }

  /** What the browser learns only at its start: the origins that may ask for a login, with all about them as text. */
  #originsNow(): { loginOrigins: string[]; cookieOrigins: readonly string[]; logins: string } {
    const { pageExtras = noExtras } = this.#options;
    const logins = pageExtras.logins();
    return {
      loginOrigins: logins.map(({ origin }) => origin),
      cookieOrigins: pageExtras.cookieOrigins?.().all ?? [],
      logins: JSON.stringify(logins),
    };
  }

  /**
   * Whether it has to start anew for them. Cookies that are no longer wanted can wait for another start, and so can those
   * of a page that is only shown now: a change of page is no reason for a dark screen.
   */
  #lacksOrigins(): boolean {
    const { logins, cookieOrigins } = this.#startedWith;
    const listed = this.#options.pageExtras?.cookieOrigins?.().listed ?? [];
    return this.#originsNow().logins !== logins || listed.some((origin) => !cookieOrigins.includes(origin));
  }

  #newBrowser(program: BrowserProgram, early: BrowserRun | undefined): Browser {
    return newBrowser(this.#options, this.#stack, program, early, {
      sink: this.#sink!,
      onTrouble: (trouble, why) => this.#onTrouble(trouble, why),
      onRefused: (url, status) => this.#supervisor.refused(url, status),
      onArrived: (url, status) => {
        this.#supervisor.arrived(url, status);
        if (this.#wantsFocus) void this.#focus();
        this.#wantsFocus = false;
        this.#live.follow();
      },
      onActivity: () => {
        this.#supervisor.touched();
        this.#options.onActivity?.();
      },
      view: this.#view,
      report: this.#report,
      onScreen: (size) => {
        this.#screenSize = size;
      },
      onPicture: (sessionId, picture) => this.#live.take(sessionId, picture),
      screenSize: () => this.screenSize(),
      clock: this.#clock,
      limits: this.#limits,
    });
  }

  async #launch(signal: AbortSignal): Promise<void> {
    this.#stack = await this.#startStack();
    this.#stack?.cover?.(true);
    await this.#supervisor.browserBegins();
    const { logins, ...origins } = this.#originsNow();
    this.#startedWith = { logins, cookieOrigins: origins.cookieOrigins };
    const wanted = (profileDir: string) =>
      programOf({ ...this.#options, profileDir }, this.#stack?.windows === 'apps', origins);
    let profileDir = this.#options.early?.profileDir ?? this.#options.profileDir;
    let program = await wanted(profileDir);
    const early = await this.#options.early?.take(program);
    if (early === undefined) {
      const ready = await readyProfile(this.#options, origins);
      if (ready !== profileDir) program = await wanted(ready);
      profileDir = ready;
    }
    const browser = this.#newBrowser(program, early);
    if (signal.aborted) early?.kill();
    signal.throwIfAborted();
    this.#browser = browser;
    await browser.start();
    if (signal.aborted) await browser.stop();
    signal.throwIfAborted();
    void browser.exited.then(() => this.#onExit(browser, signal));
    announceDebugPort({ ...this.#options, profileDir }, signal);
    void this.#room.browserRuns(profileDir);
    this.#notShown = undefined;
    this.#askGraphics(browser);
    await this.#showAll();
    // Not waited for either: what is asleep is dark already.
    const drawn = this.#screenBlanker.isClosed ? Promise.resolve() : this.#report.watch.settled();
    void drawn.then(() => this.#browser === browser && this.#stack?.cover?.(false));
    if (!signal.aborted) this.#supervisor.heartbeat.start();
  }

  #askGraphics(browser: Browser): void {
    this.#graphics = undefined;
    browser.graphics().then(
      (facts) => {
        if (this.#browser !== browser) return;
        this.#graphics = facts;
        this.#options.log.info(facts, 'browser: graphics');
      },
      (error: Error) => this.#options.log.debug({ err: error }, 'browser: could not read how it draws'),
    );
  }

  /** Without it, windows that place themselves still do. @throws Error with one sentence when they need it */
  async #startStack(): Promise<WindowStack | undefined> {
    const { stack, log } = this.#options;
    try {
      await stack?.start();
      return stack;
    } catch (error) {
      if (stack?.windows === 'apps') throw error;
      log.warn({ err: error }, 'kiosk: could not place windows, an open layer fills the screen');
      return undefined;
    }
  }

  /** What a new browser window has to show. */
  async #showAll(): Promise<void> {
    await this.#own.restore();
    await this.#screenBlanker.settle();
    this.#live.follow();
    await this.#goHome();
    // Not waited for: the page is there before them.
    void this.#layers.restore();
  }

  /** Errors on the way (error page, crash, closed window) are noticed elsewhere, and recovery follows. */
  async #goHome(): Promise<void> {
    if (this.#lacksOrigins()) return this.#startAnew((signal) => this.#relaunch(signal));
    const isLast = this.#counted();
    try {
      this.#wantsFocus = true;
      await this.#browser?.page?.navigate(this.#home);
      await this.#focus();
    } catch (error) {
      // The next navigation has ended this one.
      if (!isLast()) return;
      this.#options.log.warn({ err: error }, 'kiosk: could not show the page');
      this.#supervisor.outage.refusal = { sentence: (error as Error).message };
      if (this.#running !== undefined && !this.#recovery.waiting)
        this.#recovery.schedule('page-unreachable', () => void this.#goHome());
    }
  }

  /** @returns whether no further navigation has begun since */
  #counted(): () => boolean {
    const own = ++this.#navigations;
    return () => own === this.#navigations;
  }

  /** Gives the keys to the top page. Without this, Chromium gives them to a page it navigates only after a touch. */
  async #focus(): Promise<void> {
    await this.bringToFront().catch((error: Error) =>
      this.#options.log.debug({ err: error }, 'kiosk: the page is already closed'),
    );
  }

  #onExit(browser: Browser, signal: AbortSignal): void {
    if (signal.aborted || this.#browser !== browser) return;
    this.#browser = undefined;
    this.#stack?.cover?.(true);
    this.#supervisor.hung.forget();
    this.#recovery.count('browser-exit');
    this.#relaunchLater(signal, 'browser-exit');
  }

  #relaunchLater(signal: AbortSignal, cause: RecoveryCause): void {
    this.#recovery.schedule(cause, () => this.#relaunch(signal));
  }

  #relaunch(signal: AbortSignal): void {
    this.#launch(signal).then(
      () => this.#options.onBrowserBack?.(),
      (error: Error) => {
        if (!signal.aborted) this.#onNotStarted(error, signal);
      },
    );
  }

  #onHung(page: KioskPage): void {
    const browser = this.#browser;
    // A browser that cannot even end its renderer hangs as well.
    this.#supervisor.hung.end(page, () => this.#browser === browser && browser?.kill());
  }

  #renew(cause: RecoveryCause): void {
    // A stuck browser would ignore a polite request; its end is noticed.
    if (cause === 'dead-page') this.#browser?.kill();
    else this.#startAnew((signal) => this.#relaunchLater(signal, cause));
  }

  #startAnew(relaunch: (signal: AbortSignal) => void): void {
    const [browser, running] = [this.#browser, this.#running];
    if (browser === undefined || running === undefined) return;
    this.#browser = undefined;
    this.#recovery.cancel();
    this.#leaving = browser.stop().then(() => {
      if (!running.signal.aborted) relaunch(running.signal);
    });
  }

  #onTrouble(trouble: PageTrouble | 'frame-crash' | 'window-closed', why?: PageUnreachable['refusal']): void {
    const browser = this.#browser;
    if (this.#running === undefined || browser === undefined) return;
    if (trouble === 'window-closed') {
      this.#recovery.count(trouble);
      this.#report.watch.lost();
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
      if (why !== undefined) this.#supervisor.outage.refusal = why;
      this.#supervisor.outage.begin();
      return;
    }
    this.#supervisor.hung.bringBack(trouble);
  }
}
