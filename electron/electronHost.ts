import type { WebContents } from 'electron';
import { type Clock, systemClock } from '../server/host/clock.ts';
import type {
  BridgeSink,
  HostDependencies,
  KioskHost,
  OpenedPage,
  OwnPage,
  RecoveryCause,
} from '../server/host/host.ts';
import { mayShow, mustShow, serverOf } from '../server/host/mayShow.ts';
import { PageConsole } from '../server/host/pageConsole.ts';
import { PageKeeper } from '../server/host/pageKeeper.ts';
import { defaultLimits, type RecoveryLimits } from '../server/host/recovery.ts';
import { BridgePort } from './bridgePort.ts';
import { DarkWindow } from './darkWindow.ts';
import type { ElectronApi } from './electronApi.ts';
import { guardContents } from './guardContents.ts';
import { endDrawing, helperMemory } from './helperProcesses.ts';
import { KioskWindow, PARTITION } from './kioskWindow.ts';
import { lockSession } from './lockSession.ts';
import { OwnPages } from './ownPages.ts';
import { SettingsCallPort } from './settingsCallPort.ts';
import { verifyCertificates } from './verifyCertificates.ts';

export interface ElectronHostOptions
  extends Pick<
    HostDependencies,
    'upkeep' | 'policy' | 'certificates' | 'spec' | 'log' | 'onActivity' | 'onSettingsCall'
  > {
  readonly electron: ElectronApi;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the bundled preload script for pages of Faceplate's own. */
  readonly ownPreload: string;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
}

/** The kiosk in a window of Electron. Bridge, policy and recovery are those of the Chromium host. */
export class ElectronHost implements KioskHost {
  readonly kind = 'electron';
  readonly #options: ElectronHostOptions;
  readonly #clock: Clock;
  readonly #keeper: PageKeeper<KioskWindow>;
  readonly #console: PageConsole;
  readonly #bridge: BridgePort;
  readonly #dark: DarkWindow;
  readonly #own: OwnPages;
  readonly #call: SettingsCallPort;
  #home = 'about:blank';
  /** The host's own page that may stand in the window. */
  #notice: string | undefined;
  #window: KioskWindow | undefined;
  #wakeLock: number | undefined;
  #endVerify = (): void => {};

  constructor(options: ElectronHostOptions) {
    const { electron, policy, certificates, spec, log, upkeep } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#console = new PageConsole(this.#clock, log);
    this.#dark = new DarkWindow(electron.BrowserWindow, this.#clock);
    const page = () => this.#window?.page;
    this.#bridge = new BridgePort({ ipcMain: electron.ipcMain, page, policy, spec, log });
    this.#call = new SettingsCallPort({
      ipcMain: electron.ipcMain,
      page,
      clock: this.#clock,
      onCall: () => options.onSettingsCall?.(),
    });
    this.#own = new OwnPages({
      electron,
      clock: this.#clock,
      preload: options.ownPreload,
      onOpened: () => this.#arrange(),
      log,
    });
    this.#keeper = new PageKeeper({
      page: {
        home: () => this.#home,
        goHome: () => this.#goHome(),
        showNotice: (url) => this.#showNotice(url),
        visible: () => this.#window,
        isAsleep: () => this.#dark.isClosed,
        memory: () => helperMemory(electron.app),
        renew: (cause) => this.#renew(cause),
        onHung: (window) => this.#onHung(window),
      },
      upkeep,
      certificates,
      clock: this.#clock,
      limits: options.limits ?? defaultLimits,
      log,
    });
  }

  async start(sink: BridgeSink, url: string): Promise<void> {
    const { electron, policy, certificates, log } = this.#options;
    this.#home = mustShow(policy, url);
    await electron.app.whenReady();
    // Without a menu there are no accelerators: no reload, no zoom, no developer tools.
    electron.Menu.setApplicationMenu(null);
    const kiosk = electron.session.fromPartition(PARTITION);
    lockSession(kiosk, policy, log);
    this.#endVerify = verifyCertificates(kiosk, { certificates, home: () => serverOf(this.#home), log });
    electron.app.on('web-contents-created', this.#guard);
    this.#bridge.open(sink);
    this.#call.open();
    this.#wakeLock = electron.powerSaveBlocker.start('prevent-display-sleep');
    this.#openWindow();
    this.#keeper.heartbeat.start();
    this.#keeper.start();
    await this.#goHome();
  }

  async stop(): Promise<void> {
    const { app, powerSaveBlocker } = this.#options.electron;
    this.#keeper.stop();
    const window = this.#window;
    this.#window = undefined;
    this.#dark.stop();
    this.#own.stop();
    this.#bridge.close();
    this.#call.close();
    this.#endVerify();
    this.#endVerify = () => {};
    window?.destroy();
    app.off('web-contents-created', this.#guard);
    if (this.#wakeLock !== undefined) powerSaveBlocker.stop(this.#wakeLock);
    this.#wakeLock = undefined;
  }

  async navigate(url: string): Promise<void> {
    this.#home = mustShow(this.#options.policy, url);
    this.#keeper.recovery.cancel();
    await this.#goHome();
  }

  async reload(): Promise<void> {
    this.#window?.page.reload();
  }

  async bringToFront(): Promise<void> {
    this.#window?.raise();
    this.#arrange();
  }

  openOwn(page: OwnPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  async sleep(onTouch: () => void): Promise<void> {
    this.#dark.close(onTouch);
  }

  wake(): Promise<void> {
    return this.#dark.open();
  }

  async screenshot(): Promise<Uint8Array> {
    const dark = this.#dark.window;
    if (dark !== undefined) return (await dark.webContents.capturePage()).toPNG();
    if (this.#window === undefined) throw new Error('The kiosk window is not open.');
    return this.#window.screenshot();
  }

  async clearCaches(origin: string): Promise<void> {
    const kiosk = this.#options.electron.session.fromPartition(PARTITION);
    await kiosk.clearStorageData({ origin, storages: ['serviceworkers', 'cachestorage'] });
    await kiosk.clearCache();
  }

  isWell(): boolean {
    return this.#keeper.heartbeat.isWell;
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#keeper.recovery.counts;
  }

  #openWindow(): void {
    const { recovery, outage } = this.#keeper;
    const isOurs = () => this.#window === window;
    const window: KioskWindow = new KioskWindow({
      BrowserWindow: this.#options.electron.BrowserWindow,
      preload: this.#options.preload,
      clock: this.#clock,
      onDocumentGone: () => isOurs() && this.#dropPage(),
      onArrived: (url) => isOurs() && this.#onArrived(url),
      onUnreachable: (refusal) => {
        if (!isOurs()) return;
        outage.refusal = `The page cannot be shown: ${refusal}.`;
        outage.begin();
      },
      onCrashed: () => isOurs() && this.#keeper.hung.bringBack('renderer-crash'),
      onHung: () => isOurs() && this.#onHung(window),
      onClosed: () => {
        if (!isOurs()) return;
        recovery.count('window-closed');
        this.#replaceWindow();
      },
      onActivity: () => {
        this.#keeper.touched();
        this.#options.onActivity?.();
      },
      onConsole: (kind, line) => this.#console.write(kind, line),
    });
    this.#window = window;
    this.#call.watch(window.page);
    this.#arrange();
  }

  /** What lies over the kiosk page: a page of Faceplate's own, and over both the dark window of a sleeping panel. */
  #arrange(): void {
    this.#own.upper?.raise();
    this.#dark.raise();
  }

  #replaceWindow(): void {
    this.#dropPage();
    this.#keeper.hung.forget();
    this.#openWindow();
    void this.#goHome();
  }

  #dropPage(): void {
    this.#bridge.dropPage();
    this.#call.forget();
  }

  #onArrived(url: string): void {
    if (mayShow(this.#options.policy, url)) {
      this.#keeper.arrived();
    } else if (url !== this.#notice) {
      this.#keeper.recovery.count('stray-page');
      this.#keeper.recovery.schedule('stray-page', () => void this.#goHome());
    }
  }

  #onHung(window: KioskWindow): void {
    // A renderer whose end is never told gets a new window.
    this.#keeper.hung.end(window, () => {
      if (this.#window !== window) return;
      this.#replaceWindow();
      window.destroy();
    });
  }

  /** A new window has a new renderer; that of the old one ends with it. */
  #renew(cause: 'dead-page' | 'memory'): void {
    const old = this.#window;
    if (old === undefined) return;
    this.#keeper.recovery.cancel();
    if (cause === 'dead-page') endDrawing(this.#options.electron.app);
    this.#replaceWindow();
    old.destroy();
  }

  /** A page that cannot be loaded is told by its window too, which brings it back. */
  async #goHome(): Promise<void> {
    this.#notice = undefined;
    await this.#window
      ?.load(this.#home)
      .catch((error: Error) => this.#options.log.warn({ err: error }, 'the kiosk page could not be shown'));
  }

  async #showNotice(url: string): Promise<void> {
    this.#notice = url;
    await this.#window
      ?.load(url)
      .catch((error: Error) => this.#options.log.debug({ err: error }, 'no waiting page'));
  }

  readonly #guard = (_event: unknown, contents: WebContents): void => {
    const { policy, log } = this.#options;
    const allows = (url: string) => this.#own.windowOf(contents)?.allows(url) ?? mayShow(policy, url);
    guardContents(contents, allows, log);
  };
}
