import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import type { Clock } from '../clock.ts';
import type { BridgeSink, HostCertificates, HostPolicy, OwnPage } from '../host.ts';
import type { PageConsole } from '../pageConsole.ts';
import { memoryOf, processTree } from '../processMemory.ts';
import { BrowserProcess, NoScreenError } from './browserProcess.ts';
import type { CdpEvent } from './cdpProtocol.ts';
import { DARK_PAGE, DarkWindow } from './darkWindow.ts';
import { fillScreen } from './fillScreen.ts';
import { FrameGuard } from './frameGuard.ts';
import { KioskPage, type PageTrouble } from './kioskPage.ts';
import type { KioskUser } from './kioskUser.ts';
import { type AttachedTarget, NewTargets } from './newTargets.ts';
import { OwnWindow } from './ownWindow.ts';
import type { BridgeNames } from './pageScript.ts';
import { PopupGuard } from './popupGuard.ts';

export interface BrowserOptions {
  readonly binary: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly sink: BridgeSink;
  readonly onTrouble: (trouble: PageTrouble | 'frame-crash' | 'window-closed', why?: string) => void;
  readonly onArrived: () => void;
  /** Somebody uses the kiosk page; at most once per second. */
  readonly onActivity: () => void;
  readonly console: PageConsole;
  /** Somebody at the panel calls for the settings page. */
  readonly onSettingsCall: () => void;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How long the browser may take to show its first window, in milliseconds. */
const START_MS = 20_000;

/** One run of the browser with the kiosk page in it: opens it, keeps every other window shut, ends it. */
export class Browser {
  readonly #options: BrowserOptions;
  readonly #process: BrowserProcess;
  readonly #popups: PopupGuard;
  readonly #frames: FrameGuard;
  readonly #targets: NewTargets;
  #page: KioskPage | undefined;
  #dark: DarkWindow | undefined;
  /** Windows of pages of our own, by session. */
  readonly #own = new Map<string, OwnWindow>();
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

  /** The black window of a sleeping panel, while there is one. */
  get dark(): DarkWindow | undefined {
    return this.#dark;
  }

  /** The page of our own that lies over the kiosk page, while there is one. */
  get upper(): OwnWindow | undefined {
    return [...this.#own.values()].find(({ page }) => page.visible);
  }

  /** Memory of the browser and all its helpers, in bytes. */
  async memory(): Promise<number> {
    const { pid } = this.#process;
    return pid === undefined ? 0 : memoryOf(await processTree(pid));
  }

  /** Resolves when the browser has ended, however it did. */
  get exited(): Promise<void> {
    return this.#process.exited;
  }

  /** Starts the browser; resolves with the empty kiosk page. @throws CannotRunError, NoScreenError, Error with one sentence */
  async start(): Promise<void> {
    await this.#process.start();
    void this.exited.then(() => this.#dropWindows());
    const opened = this.#pageOpens();
    try {
      // Together with the limit of `opened`: a browser that answers nothing must not hold the start for ever.
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

  /** Opens the kiosk's window again. @throws Error when the browser does not. */
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

  /** Opens the black window over everything. @throws Error when the browser does not. */
  async openDark(listener: { onTouch(): void; onGone(): void }): Promise<void> {
    const dark = await this.#targets.open(DARK_PAGE, true);
    this.#dark = new DarkWindow({
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
   * Opens the window of a page of our own; resolves when the page has begun.
   * @throws Error when the browser does not; the window is gone then
   */
  async openOwn(page: OwnPage, listener: { mayRaise(): boolean; onGone(): void }): Promise<OwnWindow> {
    const target = page.visible
      ? await this.#targets.open('about:blank', true)
      : await this.#targets.openBehind(this.#page?.targetId);
    const { sessionId } = target;
    const own = new OwnWindow({
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

  /** Ends a browser that no longer listens; `exited` follows. */
  kill(): void {
    this.#process.kill();
  }

  #handle(event: CdpEvent): void {
    switch (event.method) {
      case 'Target.attachedToTarget':
        this.#attach(event.params);
        break;
      case 'Target.detachedFromTarget':
        this.#frames.forget(event.params.sessionId);
        if (event.params.sessionId === this.#dark?.sessionId) this.#dark.dropped();
        this.#own.get(event.params.sessionId)?.dropped();
        if (event.params.sessionId !== this.#page?.sessionId) break;
        this.#dropPage();
        this.#options.onTrouble('window-closed');
        break;
      case 'Browser.downloadWillBegin':
        this.#options.log.warn('download refused');
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

  #attach(window: AttachedTarget): void {
    const { sessionId, targetInfo } = window;
    const { type, targetId } = targetInfo;
    if (type === 'iframe') this.#frames.guard(sessionId);
    else if (this.#targets.holds(window)) return;
    else if (this.#page === undefined) void this.#openPage(sessionId, targetId);
    else {
      this.#options.log.warn('window refused');
      this.#popups.shut(sessionId, targetId);
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
      this.#frames.watch(sessionId);
      await page.setUp();
      this.#onPage(page);
    } catch (error) {
      // Its window went meanwhile, which is told by itself.
      if (this.#page !== page) return;
      // A page without its guards must not stay; the browser's end is noticed and answered with a new one.
      this.#options.log.error({ err: error }, 'the kiosk page could not be set up');
      this.#process.kill();
    }
  }

  #pageOpens(): Promise<void> {
    const { clock } = this.#options;
    const opens = new Promise<void>((resolve, reject) => {
      const cancel = clock.after(START_MS, () => reject(new Error('The browser shows no window.')));
      this.#onPage = () => {
        cancel();
        resolve();
      };
      void this.exited.then(() => {
        cancel();
        reject(new Error('The browser ended.'));
      });
    });
    // Whoever waits hears of it; nobody has to.
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
