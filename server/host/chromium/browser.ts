import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import type { Clock } from '../clock.ts';
import type { BridgeSink, HostCertificates, HostPolicy, OwnPage } from '../host.ts';
import type { PageConsole } from '../pageConsole.ts';
import { memoryOf, processTree } from '../processMemory.ts';
import { Activity } from './activity.ts';
import { BrowserProcess, NoScreenError } from './browserProcess.ts';
import { CallWatch } from './callWatch.ts';
import type { CdpCommands, CdpEvent, TargetInfo } from './cdpProtocol.ts';
import { DARK_PAGE, DarkWindow } from './darkWindow.ts';
import { fillScreen } from './fillScreen.ts';
import { KioskPage, type PageTrouble } from './kioskPage.ts';
import type { KioskUser } from './kioskUser.ts';
import { OwnWindow } from './ownWindow.ts';
import { type BridgeNames, frameScript } from './pageScript.ts';
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

interface NewWindow {
  readonly sessionId: string;
  readonly targetInfo: TargetInfo;
}

/** How long the browser may take to show its first window, in milliseconds. */
const START_MS = 20_000;

/** One run of the browser with the kiosk page in it: opens it, keeps every other window shut, ends it. */
export class Browser {
  readonly #options: BrowserOptions;
  readonly #process: BrowserProcess;
  readonly #popups: PopupGuard;
  readonly #activity: Activity;
  readonly #call: CallWatch;
  /** Sessions of frames in processes of their own. */
  readonly #frames = new Set<string>();
  #page: KioskPage | undefined;
  #dark: DarkWindow | undefined;
  /** Windows of pages of our own, by session. */
  readonly #own = new Map<string, OwnWindow>();
  /** Windows of our own are opened one at a time. */
  #opening: Promise<unknown> = Promise.resolve();
  /** Windows that came while one of our own is awaited: which it is shows in the answer only. */
  #undecided: NewWindow[] | undefined;
  #onPage: (page: KioskPage) => void = () => {};

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#process = new BrowserProcess({ ...options, onEvent: (event) => this.#handle(event) });
    this.#activity = new Activity(options.clock, options.onActivity);
    this.#call = new CallWatch(options.clock, options.onSettingsCall);
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
    const dark = await this.#openTarget(DARK_PAGE, true);
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
    const target = page.visible ? await this.#openTarget('about:blank', true) : await this.#openHidden();
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

  /**
   * Opens a tab behind the kiosk page. The browser puts it into the window on top; in any other than the kiosk's it would
   * be left in sight, alone, when the page of that window goes.
   */
  async #openHidden(): Promise<{ sessionId: string; targetId: string }> {
    const target = await this.#openTarget('about:blank', false);
    const kiosk = this.#page && (await this.#windowOf(this.#page.targetId));
    if (kiosk === (await this.#windowOf(target.targetId))) return target;
    this.#do('Target.closeTarget', { targetId: target.targetId });
    throw new Error('Another window is on top.');
  }

  async #windowOf(targetId: string): Promise<number> {
    return (await this.#process.send('Browser.getWindowForTarget', { targetId })).windowId;
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
        this.#attach(event.params.sessionId, event.params.targetInfo);
        break;
      case 'Target.detachedFromTarget':
        this.#frames.delete(event.params.sessionId);
        this.#call.forget(event.params.sessionId);
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
        if (this.#activity.handle(event) || this.#call.handle(event)) break;
        if (event.method === 'Inspector.targetCrashed') this.#call.forget(event.sessionId);
        if (event.method === 'Inspector.targetCrashed' && this.#frames.has(event.sessionId ?? '')) {
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

  #openTarget(url: string, inWindow: boolean): Promise<{ sessionId: string; targetId: string }> {
    const opened = this.#opening.then(() => this.#createTarget(url, inWindow));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /** Opens a window or tab that no guard shuts. Others that come meanwhile wait, paused, until it is told which is ours. */
  async #createTarget(url: string, inWindow: boolean): Promise<{ sessionId: string; targetId: string }> {
    const windows: NewWindow[] = [];
    this.#undecided = windows;
    let targetId: string | undefined;
    try {
      ({ targetId } = await this.#process.send('Target.createTarget', {
        url,
        ...(inWindow ? { newWindow: true, windowState: 'fullscreen' } : { background: true }),
      }));
    } finally {
      this.#undecided = undefined;
      for (const { sessionId, targetInfo } of windows)
        if (targetInfo.targetId !== targetId) this.#attach(sessionId, targetInfo);
    }
    const own = windows.find((window) => window.targetInfo.targetId === targetId);
    if (own === undefined) throw new Error('The browser opened no window.');
    return { sessionId: own.sessionId, targetId: own.targetInfo.targetId };
  }

  #attach(sessionId: string, targetInfo: TargetInfo): void {
    const { type, targetId } = targetInfo;
    if (type === 'iframe') this.#guardFrame(sessionId);
    else if (this.#undecided !== undefined) this.#undecided.push({ sessionId, targetInfo });
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
      this.#watchFrames(sessionId);
      this.#watchInput(sessionId);
      await page.setUp();
      this.#onPage(page);
    } catch (error) {
      // A page without its guards must not stay; the browser's end is noticed and answered with a new one.
      this.#options.log.error({ err: error }, 'the kiosk page could not be set up');
      this.#process.kill();
    }
  }

  /** A frame in a process of its own: it has no binding, and gets the key guard. */
  #guardFrame(sessionId: string): void {
    this.#frames.add(sessionId);
    this.#watchFrames(sessionId);
    // Without it, bindings of the first frame of a process tell nothing (measured, Chromium 156).
    this.#do('Runtime.enable', {}, sessionId);
    this.#do('Inspector.enable', {}, sessionId);
    this.#do('Page.enable', {}, sessionId);
    this.#do('Page.addScriptToEvaluateOnNewDocument', { source: frameScript() }, sessionId);
    this.#watchInput(sessionId);
    this.#do('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  #watchInput(sessionId: string): void {
    this.#activity.watch(this.#process.send, sessionId).catch(this.#onLate);
    this.#call.watch(this.#process.send, sessionId).catch(this.#onLate);
  }

  #watchFrames(sessionId: string): void {
    const filter = [{ type: 'iframe' }, { exclude: true }];
    this.#do(
      'Target.setAutoAttach',
      { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter },
      sessionId,
    );
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
    this.#call.forget();
    this.#dropPage();
    this.#dark?.dropped();
    for (const own of [...this.#own.values()]) own.dropped();
  }

  /** Sends a command whose failure only means that its target is gone already. */
  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params'], sessionId?: string): void {
    this.#process.send(method, params, sessionId).catch(this.#onLate);
  }

  readonly #onLate = (error: Error) => this.#options.log.debug({ err: error }, 'target is gone');
}
