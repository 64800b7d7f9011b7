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
import { PageReport } from '../recovery/pageReport.ts';
import { PageSupervisor } from '../recovery/pageSupervisor.ts';
import type { PageUnreachable } from '../recovery/pageUnreachable.ts';
import { defaultLimits, type Recovery } from '../recovery/recovery.ts';
import type { Browser } from './browser.ts';
import type { BrowserProgram } from './browserProgram.ts';
import { BrowserRuns } from './browserRuns.ts';
import { browserLimits, type ChromiumHostOptions } from './chromiumHostOptions.ts';
import { LiveView } from './live/liveView.ts';
import { connectAnew, evaluate } from './live/target.ts';
import { chromiumPages, newBrowser } from './newBrowser.ts';
import type { BrowserRun } from './process/browserRun.ts';
import { HomeNavigation } from './windows/homeNavigation.ts';
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
  readonly #home: HomeNavigation;
  readonly #runs: BrowserRuns;
  readonly #limits = browserLimits();
  readonly #screenBlanker: ScreenBlanker;
  readonly #own: ReturnType<typeof chromiumPages>;
  readonly #layers: ChromiumLayers;
  readonly #live: LiveView;
  #screenSize: PageSize = { width: 1280, height: 800 };
  readonly #view: PageView;
  #rotation: Rotation = 0;

  constructor(options: ChromiumHostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#view = new PageView(this.#clock);
    this.#home = new HomeNavigation({
      page: () => this.#browser?.page,
      raise: () => this.bringToFront(),
      onFailed: ({ message: sentence }) => {
        this.#supervisor.outage.refusal = { sentence };
        if (this.#runs.isStarted && !this.#recovery.waiting)
          this.#recovery.schedule('page-unreachable', () => void this.#goHome());
      },
      log: options.log,
    });
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
      stack: () => this.#runs.stack,
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
        home: () => this.#home.address,
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
    this.#runs = new BrowserRuns({
      host: options,
      clock: this.#clock,
      supervisor: this.#supervisor,
      make: (program, early) => this.#newBrowser(program, early),
      showAll: () => this.#showAll(),
      drawn: async () => {
        // What is asleep is dark already.
        if (!this.#screenBlanker.isClosed) await this.#report.watch.settled();
      },
    });
  }

  /** The browser that runs now. */
  get #browser(): Browser | undefined {
    return this.#runs.browser;
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
    if (this.#runs.isStarted) throw new Error('The host is already started.');
    if (process.getuid?.() === 0 && this.#options.user === undefined)
      throw new Error('The browser must not run as root: name an unprivileged user in kiosk.user.');
    this.#sink = sink;
    this.#home.address = assertNavigationAllowed(this.#options.policy, url);
    this.#report.watch.wanted(this.#home.address);
    try {
      // A stop during the start has already ended everything.
      if (await this.#runs.start()) this.#supervisor.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#supervisor.stop();
    this.#report.stop();
    this.#screenBlanker.forget();
    this.#own.forget();
    this.#layers.forget();
    await this.#runs.stop();
  }

  async navigate(url: string): Promise<void> {
    this.#home.address = assertNavigationAllowed(this.#options.policy, url);
    this.#report.watch.leaving(this.#home.address);
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
    return this.#runs.notShown;
  }

  hasScreen(): boolean {
    return !this.#options.headless && this.#runs.notShown === undefined;
  }

  graphics(): GraphicsFacts | undefined {
    return this.#runs.graphics;
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

  #newBrowser(program: BrowserProgram, early: BrowserRun | undefined): Browser {
    return newBrowser(this.#options, this.#runs.stack, program, early, {
      sink: this.#sink!,
      onTrouble: (trouble, why) => this.#onTrouble(trouble, why),
      onRefused: (url, status) => this.#supervisor.refused(url, status),
      onArrived: (url, status) => {
        this.#supervisor.arrived(url, status);
        this.#home.arrived();
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

  /** What a new browser window has to show. */
  async #showAll(): Promise<void> {
    await this.#own.restore();
    await this.#screenBlanker.settle();
    this.#live.follow();
    await this.#goHome();
    // Not waited for: the page is there before them.
    void this.#layers.restore();
  }

  async #goHome(): Promise<void> {
    if (this.#runs.lacksOrigins) this.#runs.startAnew();
    else await this.#home.go();
  }

  #onHung(page: KioskPage): void {
    const browser = this.#browser;
    // A browser that cannot even end its renderer hangs as well.
    this.#supervisor.hung.end(page, () => this.#browser === browser && browser?.kill());
  }

  #renew(cause: RecoveryCause): void {
    // A stuck browser would ignore a polite request; its end is noticed.
    if (cause === 'dead-page') this.#browser?.kill();
    else this.#runs.startAnew(cause);
  }

  #onTrouble(trouble: PageTrouble | 'frame-crash' | 'window-closed', why?: PageUnreachable['refusal']): void {
    if (!this.#runs.isStarted || this.#browser === undefined) return;
    if (trouble === 'window-closed') {
      this.#recovery.count(trouble);
      this.#report.watch.lost();
      this.#runs.openWindow();
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
