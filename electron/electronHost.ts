import {
  app,
  BrowserWindow,
  type IpcMainEvent,
  ipcMain,
  Menu,
  powerSaveBlocker,
  session,
  type WebContents,
  type WebFrameMain,
} from 'electron';
import { channels } from '../preload/electronChannels.ts';
import { systemClock } from '../server/host/clock.ts';
import type {
  BridgeSink,
  HostDependencies,
  KioskHost,
  OpenedPage,
  OwnPage,
  PageCaller,
  RecoveryCause,
} from '../server/host/host.ts';
import { mayShow, mustShow, placeOf, serverOf } from '../server/host/mayShow.ts';
import { defaultLimits, Recovery } from '../server/host/recovery.ts';
import { SettingsCall } from '../server/host/settingsCall.ts';
import { DarkWindow } from './darkWindow.ts';
import { lockSession } from './lockSession.ts';
import { OwnPages } from './ownPages.ts';
import { verifyCertificates } from './verifyCertificates.ts';

export interface ElectronHostOptions extends HostDependencies {
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the bundled preload script for pages of Faceplate's own. */
  readonly ownPreload: string;
}

/** What counts as use of the panel, and how often it is told, in milliseconds. */
const ACTIVITY = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown', 'mouseWheel'];
const ACTIVITY_EVERY_MS = 1_000;
/** The profile of the kiosk page. */
const PARTITION = 'persist:kiosk';

/** The kiosk in a window of Electron. Bridge, policy and recovery are those of the Chromium host. */
export class ElectronHost implements KioskHost {
  readonly kind = 'electron';
  readonly #options: ElectronHostOptions;
  readonly #recovery: Recovery;
  #sink: BridgeSink | undefined;
  #home = 'about:blank';
  #window: BrowserWindow | undefined;
  readonly #dark: DarkWindow;
  readonly #own: OwnPages;
  readonly #call: SettingsCall;
  #activeAt = Number.NEGATIVE_INFINITY;
  #wakeLock: number | undefined;
  #endVerify = (): void => {};
  #unwatchTrust = (): void => {};
  /** The document that speaks through the bridge. */
  #caller: { frame: WebFrameMain; page: PageCaller } | undefined;

  constructor(options: ElectronHostOptions) {
    this.#options = options;
    this.#recovery = new Recovery(defaultLimits, systemClock, options.log);
    this.#dark = new DarkWindow(systemClock);
    this.#call = new SettingsCall(systemClock, () => options.onSettingsCall?.());
    this.#own = new OwnPages({
      preload: options.ownPreload,
      onOpened: () => this.#arrange(),
      log: options.log,
    });
  }

  async start(sink: BridgeSink, url: string): Promise<void> {
    this.#sink = sink;
    this.#home = mustShow(this.#options.policy, url);
    await app.whenReady();
    // Without a menu there are no accelerators: no reload, no zoom, no developer tools.
    Menu.setApplicationMenu(null);
    const kiosk = session.fromPartition(PARTITION);
    lockSession(kiosk, this.#options.policy, this.#options.log);
    const { certificates, log } = this.#options;
    this.#endVerify = verifyCertificates(kiosk, { certificates, home: () => serverOf(this.#home), log });
    this.#unwatchTrust = certificates.onTrusted(() => {
      // Only a page that is being waited for: one that is shown needs no reload.
      if (!this.#recovery.waiting) return;
      this.#recovery.cancel();
      void this.#goHome();
    });
    app.on('web-contents-created', this.#guard);
    ipcMain.on(channels.spec, this.#onSpec);
    ipcMain.on(channels.bridge, this.#onBridge);
    ipcMain.on(channels.fingers, this.#onFingers);
    this.#wakeLock = powerSaveBlocker.start('prevent-display-sleep');
    this.#openWindow();
    await this.#goHome();
  }

  async stop(): Promise<void> {
    this.#recovery.cancel();
    this.#unwatchTrust();
    this.#endVerify();
    this.#endVerify = () => {};
    const window = this.#window;
    this.#window = undefined;
    this.#dark.stop();
    this.#own.stop();
    this.#dropPage();
    window?.destroy();
    app.off('web-contents-created', this.#guard);
    ipcMain.off(channels.spec, this.#onSpec);
    ipcMain.off(channels.bridge, this.#onBridge);
    ipcMain.off(channels.fingers, this.#onFingers);
    this.#call.forget();
    if (this.#wakeLock !== undefined) powerSaveBlocker.stop(this.#wakeLock);
    this.#wakeLock = undefined;
  }

  async navigate(url: string): Promise<void> {
    this.#home = mustShow(this.#options.policy, url);
    this.#recovery.cancel();
    await this.#goHome();
  }

  async reload(): Promise<void> {
    this.#window?.webContents.reload();
  }

  async bringToFront(): Promise<void> {
    this.#window?.moveTop();
    this.#window?.focus();
    this.#arrange();
  }

  openOwn(page: OwnPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  /** What lies over the kiosk page: a page of Faceplate's own, and over both the dark window of a sleeping panel. */
  #arrange(): void {
    this.#own.upper?.raise();
    this.#dark.raise();
  }

  async sleep(onTouch: () => void): Promise<void> {
    this.#dark.close(onTouch);
  }

  wake(): Promise<void> {
    return this.#dark.open();
  }

  async screenshot(): Promise<Uint8Array> {
    const window = this.#dark.window ?? this.#window;
    if (window === undefined) throw new Error('The kiosk window is not open.');
    return (await window.webContents.capturePage()).toPNG();
  }

  async clearCaches(origin: string): Promise<void> {
    const kiosk = session.fromPartition(PARTITION);
    await kiosk.clearStorageData({ origin, storages: ['serviceworkers', 'cachestorage'] });
    await kiosk.clearCache();
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#recovery.counts;
  }

  #openWindow(): void {
    const window = new BrowserWindow({
      kiosk: true,
      frame: false,
      alwaysOnTop: true,
      backgroundColor: '#000',
      webPreferences: {
        partition: PARTITION,
        preload: this.#options.preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInSubFrames: false,
        nodeIntegrationInWorker: false,
        webSecurity: true,
        webviewTag: false,
        allowRunningInsecureContent: false,
        navigateOnDragDrop: false,
        disableDialogs: true,
        spellcheck: false,
        backgroundThrottling: false,
        devTools: false,
      },
    });
    this.#window = window;
    this.#arrange();
    const page = window.webContents;
    page.on('input-event', (_event, { type }) => this.#noteInput(type));
    page.on('before-input-event', (_event, input) => {
      const { type, code, control, alt, shift, meta, isAutoRepeat } = input;
      const isCall = code === 'KeyS' && control && alt && !shift && !meta;
      if (type === 'keyDown' && isCall && !isAutoRepeat) this.#call.keys();
    });
    window.on('close', (event) => event.preventDefault());
    window.on('closed', () => {
      if (this.#window !== window) return;
      this.#dropPage();
      this.#recovery.count('window-closed');
      this.#openWindow();
      void this.#goHome();
    });
    let hung = false;
    window.on('unresponsive', () => {
      hung = true;
      this.#recovery.count('hung-page');
      page.forcefullyCrashRenderer();
    });
    page.on('render-process-gone', () => {
      this.#dropPage();
      this.#call.forget();
      if (!hung) this.#recovery.count('renderer-crash');
      hung = false;
      if (this.#window === window) this.#recovery.schedule('renderer-crash', () => void this.#goHome());
    });
    page.on('did-navigate', (_event, url) => {
      this.#dropPage();
      if (mayShow(this.#options.policy, url)) this.#recovery.cancel();
      else this.#comeHome('stray-page');
    });
    page.on('did-fail-load', (_event, code, _text, _url, isMainFrame) => {
      // -3 is ERR_ABORTED: another navigation took its place.
      if (isMainFrame && code !== -3) this.#comeHome('page-unreachable');
    });
  }

  #noteInput(type: string): void {
    if (!ACTIVITY.includes(type) || systemClock.now() - this.#activeAt < ACTIVITY_EVERY_MS) return;
    this.#activeAt = systemClock.now();
    this.#options.onActivity?.();
  }

  #comeHome(cause: RecoveryCause): void {
    if (this.#window === undefined) return;
    this.#recovery.count(cause);
    this.#recovery.schedule(cause, () => void this.#goHome());
  }

  /** A page that cannot be loaded is told by did-fail-load too, which brings it back. */
  async #goHome(): Promise<void> {
    await this.#window
      ?.loadURL(this.#home)
      .catch((error: Error) => this.#options.log.warn({ err: error }, 'the kiosk page could not be shown'));
  }

  /** Every frame tree that ever comes to be, also one we did not ask for. */
  readonly #guard = (_event: unknown, contents: WebContents): void => {
    const { policy, log } = this.#options;
    const judge = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
      const own = this.#own.windowOf(contents);
      const allowed = own === undefined ? mayShow(policy, event.url) : own.allows(event.url);
      if (!event.isMainFrame || allowed) return;
      event.preventDefault();
      log.warn({ to: placeOf(event.url) }, 'navigation refused');
    };
    contents.on('will-frame-navigate', judge);
    contents.on('will-redirect', judge);
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => {
      log.warn('window refused');
      return { action: 'deny' };
    });
  };

  readonly #onSpec = (event: IpcMainEvent): void => {
    event.returnValue = this.#speaker(event) === undefined ? null : this.#options.spec;
  };

  readonly #onBridge = (event: IpcMainEvent, json: unknown): void => {
    const frame = this.#speaker(event);
    if (frame === undefined || typeof json !== 'string') {
      this.#options.log.warn('bridge call refused');
      return;
    }
    if (this.#caller?.frame !== frame) this.#caller = { frame, page: this.#callerOf(frame) };
    this.#sink?.onMessage(this.#caller.page, json);
  };

  readonly #onFingers = ({ sender }: IpcMainEvent, count: unknown): void => {
    if (sender === this.#window?.webContents && typeof count === 'number') this.#call.fingers('page', count);
  };

  /** @returns the main frame of the kiosk window when it is the one that speaks and its origin holds the bridge. */
  #speaker({ sender, senderFrame }: IpcMainEvent): WebFrameMain | undefined {
    const page = this.#window?.webContents;
    if (senderFrame === null || sender !== page || senderFrame !== page.mainFrame) return undefined;
    return this.#isListed(senderFrame.origin) ? senderFrame : undefined;
  }

  #callerOf(frame: WebFrameMain): PageCaller {
    const { origin } = frame;
    const page: PageCaller = {
      origin,
      reply: (json) => {
        // The frame object may outlive its document; the answer must not reach the next one.
        const isCurrent = this.#caller?.page === page && !frame.isDestroyed();
        if (isCurrent && this.#isListed(origin)) frame.send(channels.bridge, json);
      },
    };
    return page;
  }

  #isListed(origin: string): boolean {
    return this.#options.policy.bridgeOrigins().includes(origin);
  }

  #dropPage(): void {
    if (this.#caller === undefined) return;
    this.#caller = undefined;
    this.#sink?.onPageGone();
  }
}
