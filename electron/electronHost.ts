import type { WebContents } from 'electron';
import { type Clock, systemClock } from '../server/host/clock.ts';
import { Heartbeat } from '../server/host/heartbeat.ts';
import type { BridgeSink, HostDependencies, KioskHost, RecoveryCause } from '../server/host/host.ts';
import { mayShow, mustShow } from '../server/host/mayShow.ts';
import { PageConsole } from '../server/host/pageConsole.ts';
import { PageKeeper } from '../server/host/pageKeeper.ts';
import { memoryOf } from '../server/host/processMemory.ts';
import { defaultLimits, type RecoveryLimits } from '../server/host/recovery.ts';
import { BridgePort } from './bridgePort.ts';
import { DarkWindow } from './darkWindow.ts';
import type { ElectronApi } from './electronApi.ts';
import { guardContents } from './guardContents.ts';
import { KioskWindow, PARTITION } from './kioskWindow.ts';
import { lockSession } from './lockSession.ts';

export interface ElectronHostOptions
  extends Pick<HostDependencies, 'upkeep' | 'policy' | 'spec' | 'log' | 'onActivity'> {
  readonly electron: ElectronApi;
  /** Path of the bundled preload script. */
  readonly preload: string;
  readonly clock?: Clock;
  readonly limits?: RecoveryLimits;
}

/** The kiosk in a window of Electron. Bridge, policy and recovery are those of the Chromium host. */
export class ElectronHost implements KioskHost {
  readonly kind = 'electron';
  readonly #options: ElectronHostOptions;
  readonly #clock: Clock;
  readonly #limits: RecoveryLimits;
  readonly #keeper: PageKeeper;
  readonly #heartbeat: Heartbeat<KioskWindow>;
  readonly #console: PageConsole;
  readonly #bridge: BridgePort;
  readonly #dark: DarkWindow;
  #home = 'about:blank';
  /** The host's own page that may stand in the window. */
  #notice: string | undefined;
  #window: KioskWindow | undefined;
  /** The renderer was killed because it hung; its end is not another fault. */
  #killedHung = false;
  #wakeLock: number | undefined;

  constructor(options: ElectronHostOptions) {
    const { electron, policy, spec, log, upkeep } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? defaultLimits;
    this.#console = new PageConsole(this.#clock, log);
    this.#dark = new DarkWindow(electron.BrowserWindow, this.#clock);
    const page = () => this.#window?.page;
    this.#bridge = new BridgePort({ ipcMain: electron.ipcMain, page, policy, spec, log });
    this.#keeper = new PageKeeper({
      page: {
        home: () => this.#home,
        goHome: () => this.#goHome(),
        showNotice: (url) => this.#showNotice(url),
        visible: () => this.#window,
        isAsleep: () => this.#dark.isClosed,
        memory: () => this.#memory(),
        renew: (cause) => this.#renew(cause),
      },
      upkeep,
      clock: this.#clock,
      limits: this.#limits,
      log,
    });
    this.#heartbeat = new Heartbeat(this.#limits, this.#clock, {
      patient: () => (this.#keeper.recovery.waiting ? undefined : this.#window),
      onHung: (window) => this.#onHung(window),
    });
  }

  async start(sink: BridgeSink, url: string): Promise<void> {
    const { electron, policy, log } = this.#options;
    this.#home = mustShow(policy, url);
    await electron.app.whenReady();
    // Without a menu there are no accelerators: no reload, no zoom, no developer tools.
    electron.Menu.setApplicationMenu(null);
    lockSession(electron.session.fromPartition(PARTITION), policy, log);
    electron.app.on('web-contents-created', this.#guard);
    this.#bridge.open(sink);
    this.#wakeLock = electron.powerSaveBlocker.start('prevent-display-sleep');
    this.#openWindow();
    this.#heartbeat.start();
    this.#keeper.start();
    await this.#goHome();
  }

  async stop(): Promise<void> {
    const { app, powerSaveBlocker } = this.#options.electron;
    this.#keeper.stop();
    this.#heartbeat.stop();
    const window = this.#window;
    this.#window = undefined;
    this.#dark.stop();
    this.#bridge.close();
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
    this.#dark.raise();
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
      onDocumentGone: () => isOurs() && this.#bridge.dropPage(),
      onArrived: (url) => isOurs() && this.#onArrived(url),
      onUnreachable: (refusal) => {
        if (!isOurs()) return;
        outage.refusal = `The page cannot be shown: ${refusal}.`;
        outage.begin();
      },
      onCrashed: () => {
        if (!isOurs()) return;
        const cause = this.#killedHung ? 'hung-page' : 'renderer-crash';
        // A hung page is counted when it is found.
        if (!this.#killedHung) recovery.count(cause);
        this.#killedHung = false;
        recovery.schedule(cause, () => void this.#goHome());
      },
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
    this.#dark.raise();
  }

  #replaceWindow(): void {
    this.#bridge.dropPage();
    this.#killedHung = false;
    this.#openWindow();
    void this.#goHome();
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
    if (this.#killedHung) return;
    this.#killedHung = true;
    this.#keeper.recovery.count('hung-page');
    window.crash();
  }

  /** A new window has a new renderer; that of the old one ends with it. */
  #renew(cause: 'dead-page' | 'memory'): void {
    const old = this.#window;
    if (old === undefined) return;
    this.#keeper.recovery.cancel();
    // A stuck graphics driver shows in the process that draws: Chromium starts another one.
    if (cause === 'dead-page')
      for (const { type, pid } of this.#options.electron.app.getAppMetrics())
        if (type === 'GPU') process.kill(pid);
    this.#replaceWindow();
    old.destroy();
  }

  /** Helpers only: the main process is the service. */
  #memory(): Promise<number> {
    const helpers = this.#options.electron.app.getAppMetrics().filter(({ type }) => type !== 'Browser');
    return memoryOf(helpers.map(({ pid }) => pid));
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

  readonly #guard = (_event: unknown, contents: WebContents): void =>
    guardContents(contents, this.#options.policy, this.#options.log);
}
