import type { WebContents } from 'electron';
import type { Feed } from '../server/contract/command.ts';
import type { Rotation } from '../server/contract/display.ts';
import type { ConsoleEntry, PageState } from '../server/contract/page.ts';
import type { GraphicsFacts } from '../server/contract/system.ts';
import { evaluate } from '../server/kiosk/chromium/live/evaluate.ts';
import { LiveView } from '../server/kiosk/chromium/live/liveView.ts';
import type { LiveTarget } from '../server/kiosk/chromium/live/target.ts';
import { graphicsOf } from '../server/kiosk/graphics.ts';
import type {
  BridgeSink,
  BuiltInPage,
  HostDependencies,
  KioskHost,
  Layer,
  LayerPage,
  LiveWatch,
  LiveWatcher,
  OpenedPage,
  PageSize,
  PictureFormat,
  RecoveryCause,
} from '../server/kiosk/host.ts';
import { mayShow, mayStay, mustShow, placeOf, serverOf } from '../server/kiosk/mayShow.ts';
import type { PageSays } from '../server/kiosk/pageEntries.ts';
import type { PageExtras } from '../server/kiosk/pageExtras.ts';
import { PageReport } from '../server/kiosk/recovery/pageReport.ts';
import { PageSupervisor } from '../server/kiosk/recovery/pageSupervisor.ts';
import { defaultLimits, type RecoveryLimits } from '../server/kiosk/recovery/recovery.ts';
import { backgroundClock, type Clock } from '../server/platform/clock.ts';
import { BlankWindow } from './blankWindow.ts';
import { BridgePort } from './bridgePort.ts';
import { ElectronPages } from './builtInPages.ts';
import type { ElectronApi } from './electronApi.ts';
import { guardContents } from './guardContents.ts';
import { endDrawing, helperMemory } from './helperProcesses.ts';
import { KeepAwakePort } from './keepAwakePort.ts';
import { KioskWindow, PARTITION } from './kioskWindow.ts';
import { LiveTargets } from './liveTargets.ts';
import { lockSession } from './lockSession.ts';
import { PageGifts } from './pageGifts.ts';
import { isMissingScript, isRejection } from './pageSays.ts';
import { written } from './picture.ts';
import { SettingsCallPort } from './settingsCallPort.ts';
import { verifyCertificates } from './verifyCertificates.ts';

interface ElectronHostOptions
  extends Pick<
    HostDependencies,
    | 'recoverySettings'
    | 'policy'
    | 'certificates'
    | 'spec'
    | 'log'
    | 'onActivity'
    | 'onKeepAwake'
    | 'onSettingsCall'
    | 'onPageState'
    | 'onPageTrouble'
  > {
  readonly pageExtras?: PageExtras;
  readonly electron: ElectronApi;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the bundled preload script for built-in pages. */
  readonly builtInPreload: string;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
}

/** The kiosk in an Electron window. Bridge, policy and recovery are the same as in the Chromium host. */
export class ElectronHost implements KioskHost {
  readonly kind = 'electron';
  readonly #options: ElectronHostOptions;
  readonly #clock: Clock;
  readonly #keeper: PageSupervisor<KioskWindow>;
  readonly #report: PageReport;
  readonly #bridge: BridgePort;
  readonly #dark: BlankWindow;
  readonly #own: ElectronPages;
  readonly #call: SettingsCallPort;
  readonly #awake: KeepAwakePort;
  readonly #targets = new LiveTargets((id, picture) => this.#live.take(id, picture));
  readonly #live: LiveView;
  #zoom = 1;
  readonly #gifts: PageGifts;
  #home = 'about:blank';
  /** The host's own page that is allowed in the window. */
  #notice: string | undefined;
  #window: KioskWindow | undefined;
  #wakeLock: number | undefined;
  #endVerify = (): void => {};

  constructor(options: ElectronHostOptions) {
    const { electron, policy, certificates, spec, log, recoverySettings } = options;
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#report = new PageReport({
      clock: this.#clock,
      log,
      page: () => this.#keeper.shown,
      onState: (state) => options.onPageState?.(state),
      onTrouble: (state) => options.onPageTrouble?.(state),
    });
    this.#dark = new BlankWindow(electron.BrowserWindow, this.#clock);
    const page = () => this.#window?.page;
    this.#live = new LiveView({
      target: () => this.#liveTarget(),
      isAsleep: () => this.#dark.isClosed,
      wake: () => this.#dark.touch(),
      clock: this.#clock,
      log,
    });
    this.#gifts = new PageGifts({
      app: electron.app,
      targets: this.#targets,
      extras: options.pageExtras,
      onRefused: (origin) => this.#report.refusals.tell('login refused', { to: placeOf(origin) }),
    });
    this.#bridge = new BridgePort({ ipcMain: electron.ipcMain, page, policy, spec, log });
    this.#call = new SettingsCallPort({
      ipcMain: electron.ipcMain,
      page,
      clock: this.#clock,
      onCall: () => options.onSettingsCall?.(),
    });
    this.#awake = new KeepAwakePort({
      ipcMain: electron.ipcMain,
      page,
      clock: this.#clock,
      onKeepAwake: () => options.onKeepAwake?.(),
    });
    this.#own = new ElectronPages({
      electron,
      clock: this.#clock,
      preload: options.builtInPreload,
      onOpened: () => this.#arrange(),
      refusals: this.#report.refusals,
      log,
    });
    this.#keeper = new PageSupervisor({
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
      report: this.#report,
      recoverySettings,
      certificates,
      clock: this.#clock,
      limits: options.limits ?? defaultLimits,
      log,
    });
  }

  async start(sink: BridgeSink, url: string): Promise<void> {
    const { electron, policy, certificates, log } = this.#options;
    this.#home = mustShow(policy, url);
    this.#report.watch.wanted(this.#home);
    await electron.app.whenReady();
    // Without a menu there are no accelerators: no reload, no zoom, no developer tools.
    electron.Menu.setApplicationMenu(null);
    const kiosk = electron.session.fromPartition(PARTITION);
    lockSession(kiosk, policy, this.#report.refusals);
    this.#endVerify = verifyCertificates(kiosk, { certificates, home: () => serverOf(this.#home), log });
    electron.app.on('web-contents-created', this.#guard);
    this.#bridge.open(sink);
    this.#gifts.start();
    this.#call.open();
    this.#awake.open();
    this.#wakeLock = electron.powerSaveBlocker.start('prevent-display-sleep');
    this.#openWindow();
    this.#keeper.heartbeat.start();
    this.#keeper.start();
    await this.#goHome();
  }

  async stop(): Promise<void> {
    const { app, powerSaveBlocker } = this.#options.electron;
    this.#keeper.stop();
    this.#report.stop();
    const window = this.#window;
    this.#window = undefined;
    this.#dark.stop();
    this.#own.stop();
    this.#bridge.close();
    this.#gifts.stop();
    this.#call.close();
    this.#awake.close();
    this.#endVerify();
    this.#endVerify = () => {};
    window?.destroy();
    app.off('web-contents-created', this.#guard);
    if (this.#wakeLock !== undefined) powerSaveBlocker.stop(this.#wakeLock);
    this.#wakeLock = undefined;
  }

  async navigate(url: string): Promise<void> {
    this.#home = mustShow(this.#options.policy, url);
    this.#report.watch.leaving(this.#home);
    this.#keeper.recovery.cancel();
    await this.#goHome();
  }

  async reload(): Promise<void> {
    const { page } = this.#window ?? {};
    if (page !== undefined && this.#gifts.areDue(page)) await this.#give(page);
    this.#window?.page.reload();
  }

  async bringToFront(): Promise<void> {
    this.#window?.raise();
    this.#arrange();
  }

  openBuiltIn(page: BuiltInPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  async sleep(onTouch: () => void): Promise<void> {
    this.#dark.close(onTouch);
    this.#live.follow();
  }

  async wake(): Promise<void> {
    await this.#dark.open();
    this.#live.follow();
  }

  async zoom(factor: number): Promise<void> {
    this.#zoom = factor;
    this.#window?.page.setZoomFactor(factor);
  }

  /** Its window fills the screen by itself, however that is turned. */
  async turn(rotation: Rotation, isTurned: boolean): Promise<boolean> {
    return isTurned || rotation === 0;
  }

  watch(watcher: LiveWatcher): LiveWatch {
    return this.#live.watch(watcher);
  }

  async evaluate(expression: string): Promise<string> {
    if (this.#window === undefined) throw new Error('The kiosk window is not open.');
    return evaluate(this.#targets.of(this.#window.page, 'page').send, this.#clock, expression);
  }

  async openLayer(page: LayerPage): Promise<Layer> {
    return this.#own.openLayer(page);
  }

  async pressKey(): Promise<void> {}
  async makeRoom(): Promise<void> {}

  screenSize(): PageSize {
    return this.#own.screenSize();
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const dark = this.#dark.window;
    if (dark !== undefined) return written(await dark.webContents.capturePage(), format);
    const above = await this.#own.covering?.screenshot(format);
    if (above !== undefined) return above;
    if (this.#window === undefined) throw new Error('The kiosk window is not open.');
    return this.#window.screenshot(format);
  }

  async clearCaches(origin: string): Promise<void> {
    const kiosk = this.#options.electron.session.fromPartition(PARTITION);
    await kiosk.clearStorageData({ origin, storages: ['serviceworkers', 'cachestorage'] });
    await kiosk.clearCache();
  }

  async clearStorage(origin: string): Promise<void> {
    await this.#options.electron.session.fromPartition(PARTITION).clearStorageData({ origin });
  }

  isWell(): boolean {
    return this.#keeper.heartbeat.isWell;
  }

  graphics(): GraphicsFacts | undefined {
    const { app } = this.#options.electron;
    // Never run in Electron; its name of the processor comes by a promise that may wait for the processor.
    return app.isReady() ? graphicsOf({ device: '', features: { ...app.getGPUFeatureStatus() } }) : undefined;
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#keeper.recovery.counts;
  }

  pageState(): PageState {
    return this.#report.watch.state;
  }

  pageConsole(): Feed<ConsoleEntry> {
    return this.#report.feed();
  }

  #liveTarget(): LiveTarget | undefined {
    const dark = this.#dark.window;
    if (dark !== undefined) return this.#targets.of(dark.webContents, 'blank');
    return this.#window && this.#targets.of(this.#window.page, 'page');
  }

  #openWindow(): void {
    const { recovery, outage } = this.#keeper;
    const isOurs = () => this.#window === window;
    const window: KioskWindow = new KioskWindow({
      BrowserWindow: this.#options.electron.BrowserWindow,
      app: this.#options.electron.app,
      preload: this.#options.preload,
      clock: this.#clock,
      zoom: () => this.#zoom,
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
      onSays: (says) => isOurs() && this.#onSays(says),
      onLoaded: () => {
        if (!isOurs()) return;
        this.#report.watch.drawn();
        this.#report.watch.loaded();
      },
      onStayed: () => isOurs() && this.#report.watch.stayed(),
      onTitle: (title) => isOurs() && this.#report.watch.titled(title),
    });
    this.#window = window;
    this.#call.watch(window.page);
    this.#arrange();
  }

  /** What lies over the kiosk page: a built-in page, and over both the blank window of a sleeping panel. */
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
    if (mayStay(this.#options.policy, url)) {
      this.#keeper.arrived(url);
      this.#live.follow();
    } else if (url !== this.#notice) {
      this.#keeper.recovery.count('stray-page');
      this.#keeper.recovery.schedule('stray-page', () => void this.#goHome());
    }
  }

  #onSays(says: PageSays): void {
    this.#report.say(says);
    if (says.level === 'exception') {
      if (isRejection(says.text)) this.#report.watch.rejected();
      else this.#report.watch.threw();
    }
    if (isMissingScript(says, this.#home)) this.#report.scriptMissing(says.url ?? '');
  }

  #onHung(window: KioskWindow): void {
    // When the end of a renderer is never reported, the page gets a new window.
    this.#keeper.hung.end(window, () => {
      if (this.#window !== window) return;
      this.#replaceWindow();
      window.destroy();
    });
  }

  /** A new window has a new renderer; the old renderer ends with the old window. */
  #renew(cause: 'dead-page' | 'memory' | 'replaced'): void {
    const old = this.#window;
    if (old === undefined) return;
    this.#keeper.recovery.cancel();
    if (cause === 'dead-page') endDrawing(this.#options.electron.app);
    this.#replaceWindow();
    old.destroy();
  }

  /** The window also reports a page that cannot be loaded, and brings it back. */
  async #goHome(): Promise<void> {
    this.#notice = undefined;
    const { page } = this.#window ?? {};
    if (page !== undefined && this.#gifts.areDue(page)) await this.#give(page);
    await this.#window
      ?.load(this.#home)
      .catch((error: Error) => this.#options.log.warn({ err: error }, 'the kiosk page could not be shown'));
  }

  async #give(page: WebContents): Promise<void> {
    await this.#gifts
      .give(page)
      .catch((error: Error) => this.#options.log.warn({ err: error }, 'the page did not take its scripts'));
  }

  async #showNotice(url: string): Promise<void> {
    this.#notice = url;
    await this.#window
      ?.load(url)
      .catch((error: Error) => this.#options.log.debug({ err: error }, 'no waiting page'));
  }

  readonly #guard = (_event: unknown, contents: WebContents): void => {
    const { policy } = this.#options;
    const allows = (url: string) => this.#own.windowOf(contents)?.allows(url) ?? mayShow(policy, url);
    guardContents(contents, allows, this.#report.refusals);
  };
}
