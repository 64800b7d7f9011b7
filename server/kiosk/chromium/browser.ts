import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { BridgeSink, BuiltInPage, HostCertificates, HostPolicy } from '../host.ts';
import type { PageReport } from '../recovery/pageReport.ts';
import type { BrowserLimits } from './browserLimits.ts';
import { FrameGuard } from './guards/frameGuard.ts';
import type { BridgeNames } from './guards/pageScript.ts';
import { PopupGuard } from './guards/popupGuard.ts';
import type { LiveTarget, SendTo } from './live/target.ts';
import { BrowserProcess, type BrowserProcessOptions } from './process/browserProcess.ts';
import { NoScreenError } from './process/browserRun.ts';
import type { CdpEvent, ScreencastFrame } from './process/cdpProtocol.ts';
import type { KioskUser } from './process/kioskUser.ts';
import { BLANK_PAGE, BlankWindow } from './windows/blankWindow.ts';
import { BuiltInWindow } from './windows/builtInWindow.ts';
import { fillScreen } from './windows/fillScreen.ts';
import { KioskPage, type PageTrouble } from './windows/kioskPage.ts';
import { type AttachedTarget, NewTargets } from './windows/newTargets.ts';

export interface BrowserOptions {
  readonly binary: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly starter: BrowserProcessOptions['starter'];
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly sink: BridgeSink;
  readonly onTrouble: (trouble: PageTrouble | 'frame-crash' | 'window-closed', why?: string) => void;
  readonly onArrived: (url: string) => void;
  /** A person uses the kiosk page; at most once per second. */
  readonly onActivity: () => void;
  readonly report: PageReport;
  /** A person at the panel asks for the settings page. */
  readonly onSettingsCall: () => void;
  /** A picture for those who watch from afar. */
  readonly onPicture: (sessionId: string, picture: ScreencastFrame) => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/**
 * One run of the browser with the kiosk page in it: opens the page, closes every window that is not ours, ends the
 * browser.
 */
export class Browser {
  readonly #options: BrowserOptions;
  readonly #process: BrowserProcess;
  readonly #popups: PopupGuard;
  readonly #frames: FrameGuard;
  readonly #targets: NewTargets;
  #page: KioskPage | undefined;
  #dark: BlankWindow | undefined;
  /** Windows of built-in pages, by session. */
  readonly #own = new Map<string, BuiltInWindow>();
  #onPage: (page: KioskPage) => void = () => {};

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#process = new BrowserProcess({ ...options, onEvent: (event) => this.#handle(event) });
    this.#frames = new FrameGuard({ ...options, send: this.#process.send, onLate: this.#onLate });
    this.#targets = new NewTargets({
      send: this.#process.send,
      onForeign: (window) => this.#attach(window),
      onLate: this.#onLate,
    });
    this.#popups = new PopupGuard(this.#process.send, options.clock, this.#onLate);
  }

  /** The kiosk page, ready; undefined while its window is not open. */
  get page(): KioskPage | undefined {
    return this.#page;
  }

  /** The black window of a sleeping panel, while it is open. */
  get dark(): BlankWindow | undefined {
    return this.#dark;
  }

  /** The built-in page over the kiosk page, while there is one. */
  get upper(): BuiltInWindow | undefined {
    return [...this.#own.values()].find(({ page }) => page.visible);
  }

  /** What the screen shows below a built-in page, as it can be watched; undefined while no window is open. */
  get live(): LiveTarget | undefined {
    const dark = this.#dark;
    if (dark === undefined) return this.#page?.live;
    const send: SendTo = (method, params) => this.#process.send(method, params, dark.sessionId);
    return { sessionId: dark.sessionId, send, kind: 'blank', isDeaf: () => false };
  }

  /** Memory of the browser and all its helpers, in bytes. */
  async memory(): Promise<number> {
    return this.#process.memory();
  }

  /** Resolves when the browser has ended, for whatever reason. */
  get exited(): Promise<void> {
    return this.#process.exited;
  }

  /**
   * Starts the browser; resolves with the empty kiosk page. @throws CannotRunError, NoScreenError, Error with one
   * sentence
   */
  async start(): Promise<void> {
    await this.#process.start();
    void this.exited.then(() => this.#dropWindows());
    const opened = this.#pageOpens();
    try {
      // Works with the limit of `opened`: a browser that never answers must not block the start for ever.
      await Promise.all([
        this.#process.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }),
        this.#process.send('Target.setAutoAttach', {
          autoAttach: true,
          waitForDebuggerOnStart: true,
          flatten: true,
          filter: [{ type: 'page' }, { type: 'iframe' }, { exclude: true }],
        }),
        opened,
      ]);
      await this.#fillScreen();
    } catch (error) {
      this.#process.kill();
      await this.exited;
      if (this.#process.lacksScreen) throw new NoScreenError(this.#options.env, { cause: error });
      const words = this.#process.lastWords;
      throw new Error(`The browser did not start${words === '' ? '.' : `; it said: ${words}`}`, {
        cause: error,
      });
    }
  }

  /** Opens the kiosk's window again. @throws Error when the browser fails to */
  async openWindow(): Promise<void> {
    const opened = this.#pageOpens();
    await Promise.all([
      this.#process.send('Target.createTarget', {
        url: 'about:blank',
        newWindow: true,
        windowState: 'fullscreen',
      }),
      opened,
    ]);
    await this.#fillScreen();
  }

  /** Opens the black window over everything. @throws Error when the browser fails to */
  async openBlank(listener: { onTouch(): void; onGone(): void }): Promise<void> {
    const dark = await this.#targets.open(BLANK_PAGE, true);
    this.#dark = new BlankWindow({
      ...this.#options,
      ...dark,
      send: this.#process.send,
      onTouch: listener.onTouch,
      onGone: () => {
        this.#dark = undefined;
        listener.onGone();
      },
    });
    await this.#dark.setUp();
  }

  /**
   * Opens the window of a built-in page; resolves when the page has begun to load.
   * @throws Error when the browser fails to; the window is closed then
   */
  async openBuiltIn(
    page: BuiltInPage,
    listener: { mayRaise(): boolean; onGone(): void },
  ): Promise<BuiltInWindow> {
    const target = page.visible
      ? await this.#targets.open('about:blank', true)
      : await this.#targets.openBehind(this.#page?.targetId);
    const { sessionId } = target;
    const own = new BuiltInWindow({
      ...this.#options,
      ...target,
      page,
      send: this.#process.send,
      mayRaise: listener.mayRaise,
      onGone: () => {
        this.#own.delete(sessionId);
        listener.onGone();
      },
    });
    this.#own.set(sessionId, own);
    try {
      await own.setUp();
    } catch (error) {
      await own.close();
      throw error;
    }
    return own;
  }

  /** Ends the browser and all its helpers. */
  async stop(): Promise<void> {
    this.#dropWindows();
    await this.#process.stop();
  }

  /** Kills a browser that no longer answers; `exited` follows. */
  kill(): void {
    this.#process.kill();
  }

  #handle(event: CdpEvent): void {
    switch (event.method) {
      case 'Target.attachedToTarget':
        this.#attach(event.params, event.sessionId);
        break;
      case 'Target.detachedFromTarget':
        this.#frames.forget(event.params.sessionId);
        if (event.params.sessionId === this.#dark?.sessionId) this.#dark.dropped();
        this.#own.get(event.params.sessionId)?.dropped();
        if (event.params.sessionId !== this.#page?.sessionId) break;
        this.#dropPage();
        this.#options.onTrouble('window-closed');
        break;
      case 'Page.screencastFrame':
        this.#options.onPicture(event.sessionId ?? '', event.params);
        break;
      case 'Browser.downloadWillBegin':
        this.#options.report.refusals.tell('download refused');
        break;
      default:
        if (this.#frames.handle(event)) break;
        if (event.method === 'Inspector.targetCrashed' && this.#frames.crashed(event.sessionId ?? '')) {
          this.#options.onTrouble('frame-crash');
          break;
        }
        this.#handleTarget(event, event.sessionId ?? '');
    }
  }

  #handleTarget(event: CdpEvent, sessionId: string): void {
    const window = [this.#page, this.#dark].find((window) => window?.sessionId === sessionId);
    const target = window ?? this.#own.get(sessionId);
    if (target !== undefined) target.handle(event);
    else if (event.method === 'Fetch.requestPaused') this.#popups.refuse(sessionId, event.params.requestId);
  }

  /** @param parent session of the page or frame that the target belongs to; none for windows */
  #attach(window: AttachedTarget, parent?: string): void {
    const { sessionId, targetInfo } = window;
    const { type, targetId } = targetInfo;
    if (type === 'iframe') this.#frames.guard(sessionId);
    else if (type === 'worker' || type === 'shared_worker') this.#frames.hear(sessionId);
    else if (type !== 'page') this.#frames.release(sessionId, parent);
    else if (this.#targets.holds(window)) return;
    else if (this.#page === undefined) void this.#openPage(sessionId, targetId);
    else {
      this.#options.report.refusals.tell('window refused');
      this.#popups.shut(sessionId, targetId);
      // It opens on top, so it stays hidden until it is closed.
      (this.#dark ?? this.upper ?? this.#page)?.raise().catch(this.#onLate);
    }
  }

  async #openPage(sessionId: string, targetId: string): Promise<void> {
    const page = new KioskPage({
      ...this.#options,
      sessionId,
      targetId,
      send: this.#process.send,
      permittedOrigins: () =>
        [...this.#own.values()].filter(({ page }) => page.media).map(({ origin }) => origin),
    });
    this.#page = page;
    try {
      this.#frames.watch(sessionId, targetId);
      await page.setUp();
      this.#onPage(page);
    } catch (error) {
      // Its window closed meanwhile, which is reported separately.
      if (this.#page !== page) return;
      // A page without its guards must not stay. The host notices the browser's end and starts a new one.
      this.#options.log.error({ err: error }, 'the kiosk page could not be set up');
      this.#process.kill();
    }
  }

  #pageOpens(): Promise<void> {
    const { clock, limits } = this.#options;
    const began = clock.now();
    const opens = new Promise<void>((resolve, reject) => {
      const cancel = clock.after(limits.start.ms, () => {
        limits.start.missed();
        reject(new Error('The browser shows no window.'));
      });
      this.#onPage = () => {
        cancel();
        limits.start.met(clock.now() - began);
        resolve();
      };
      void this.exited.then(() => {
        cancel();
        reject(new Error('The browser ended.'));
      });
    });
    // A waiting caller gets this error; without one it must not become an unhandled rejection.
    opens.catch(() => {});
    return opens;
  }

  async #fillScreen(): Promise<void> {
    if (this.#page !== undefined) await fillScreen(this.#process.send, this.#page, this.#options.clock);
  }

  #dropPage(): void {
    this.#page?.close();
    this.#page = undefined;
  }

  #dropWindows(): void {
    this.#frames.forgetAll();
    this.#dropPage();
    this.#dark?.dropped();
    for (const own of [...this.#own.values()]) own.dropped();
  }

  readonly #onLate = (error: Error) => this.#options.log.debug({ err: error }, 'target is gone');
}
