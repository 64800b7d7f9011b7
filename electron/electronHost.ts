import type { WebContents } from 'electron';
import type { Feed } from '../server/contract/command.ts';
import type { GraphicsFacts } from '../server/contract/system.ts';
import { ConsoleWatch } from '../server/kiosk/chromium/guards/consoleWatch.ts';
import { LiveView } from '../server/kiosk/chromium/live/liveView.ts';
import { connectAnew, evaluate, type LiveTarget, type SendTo } from '../server/kiosk/chromium/live/target.ts';
import type { ConsoleEntry, PageState } from '../server/kiosk/contract.ts';
import { graphicsOf } from '../server/kiosk/graphics.ts';
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
} from '../server/kiosk/host.ts';
import { isNavigationAllowed, placeOf } from '../server/kiosk/navigationPolicy.ts';
import { noExtras } from '../server/kiosk/pageExtras.ts';
import { PageReport } from '../server/kiosk/recovery/pageReport.ts';
import type { Rotation } from '../server/parts/display/contract.ts';
import { backgroundClock, type Clock } from '../server/platform/clock.ts';
import { BlankView } from './blankView.ts';
import { ElectronPages } from './builtInPages.ts';
import { partitionOf } from './builtInView.ts';
import { type ElectronHostOptions, helperMemory, ScreenPower, written } from './electronApi.ts';
import {
  guardContents,
  guardFrames,
  judgeCertificates,
  lockSession,
  refuseClientCertificates,
} from './guards.ts';
import { HomePage } from './homePage.ts';
import { KioskWindow } from './kioskWindow.ts';
import { PageInjections, PageLogins } from './pageExtras.ts';
import { PageFields } from './pageFields.ts';
import { PagePorts } from './pagePorts.ts';
import { PARTITION } from './pageView.ts';
import { Targets } from './targets.ts';

/** The kiosk in an Electron window. Bridge, policy and recovery are the same as in the Chromium host. */
export class ElectronHost implements KioskHost {
  readonly kind = 'electron';
  readonly #options: ElectronHostOptions;
  readonly #clock: Clock;
  readonly #window: KioskWindow;
  readonly #report: PageReport;
  readonly #dark: BlankView;
  readonly #own: ElectronPages;
  readonly #ports: PagePorts;
  readonly #targets = new Targets({
    onEvent: (event) => {
      if (event.method === 'Page.screencastFrame') this.#live.take(event.sessionId ?? '', event.params);
      else {
        this.#console.handle(event);
        this.#fields.handle(event);
      }
    },
    onGone: (sessionId) => {
      this.#console.forget(sessionId);
      this.#fields.pageGone(sessionId);
    },
    isDeaf: () => this.#isDeaf,
  });
  readonly #console: ConsoleWatch;
  readonly #fields: PageFields;
  readonly #live: LiveView;
  readonly #injections: PageInjections;
  readonly #logins: PageLogins;
  readonly #home: HomePage;
  readonly #power: ScreenPower;
  /** A layer covers the screen: the page hears no input. */
  #isDeaf = false;
  #endJudging = (): void => {};
  #endCertificates = (): void => {};

  constructor(options: ElectronHostOptions) {
    const { electron, log } = options;
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#window = new KioskWindow({ electron, icon: options.icon });
    this.#power = new ScreenPower(electron.powerSaveBlocker);
    this.#report = new PageReport({
      clock: this.#clock,
      log,
      page: () => this.#home.supervisor.shown,
      readable: options.pageExtras?.readable,
      onState: (state) => options.onPageState?.(state),
      onTrouble: (state) => options.onPageTrouble?.(state),
    });
    this.#dark = new BlankView(this.#window, this.#clock);
    const page = () => this.#home.view?.page;
    this.#live = new LiveView({
      target: () => this.#liveTarget(),
      isAsleep: () => this.#dark.isClosed,
      wake: () => this.#dark.touch(),
      clock: this.#clock,
      log,
    });
    this.#console = new ConsoleWatch({
      send: this.#targets.send,
      report: this.#report,
      clock: this.#clock,
      onLate: this.#onLate,
    });
    this.#fields = new PageFields({
      targets: this.#targets,
      window: this.#window,
      onField: (focus) => options.onField?.(focus),
      onPart: (sessionId) => this.#console.watch(sessionId),
      onPartGone: (sessionId) => this.#console.forget(sessionId),
      onFrameCrash: (crashed) => crashed === page() && this.#home.supervisor.hung.bringBack('frame-crash'),
      clock: this.#clock,
      log,
    });
    const extras = options.pageExtras ?? noExtras;
    this.#injections = new PageInjections({ targets: this.#targets, extras });
    this.#logins = new PageLogins({
      app: electron.app,
      extras,
      policy: options.policy,
      onRefused: (origin) => this.#report.refusals.tell('login refused', { to: placeOf(origin) }),
    });
    this.#own = new ElectronPages({
      electron,
      window: this.#window,
      clock: this.#clock,
      preload: options.builtInPreload,
      onLayers: () => this.#followLayers(),
      onWritable: (contents) => this.#fields.watch(contents, { parts: false }),
      refusals: this.#report.refusals,
      log,
    });
    this.#home = new HomePage({
      host: options,
      window: this.#window,
      report: this.#report,
      injections: this.#injections,
      logins: this.#logins,
      clock: this.#clock,
      isAsleep: () => this.#dark.isClosed,
      connectAnew: () => connectAnew(this.#targets.of(this.#mustHavePage(), 'page').send),
      clearCaches: (origin) => this.clearCaches(origin),
      onOpened: async (contents) => {
        this.#ports.watch(contents);
        // A dialog of the system would show the files of the panel.
        this.#tell(contents, 'Page.setInterceptFileChooserDialog', { enabled: true, cancel: true });
        if (this.#isDeaf) this.#tell(contents, 'Input.setIgnoreInputEvents', { ignore: true });
        await guardFrames(this.#targets.of(contents, 'page').send).catch(this.#onLate);
        await this.#fields.watch(contents, { parts: true });
        await this.#hear(contents);
      },
      onDocumentGone: () => this.#ports.documentGone(),
      onChange: () => this.#live.follow(),
    });
    this.#ports = new PagePorts({
      host: options,
      ipcMain: electron.ipcMain,
      page,
      dialogs: this.#home.dialogs,
      refusals: this.#report.refusals,
      onMissingScript: (url) => this.#report.scriptMissing(url),
      clock: this.#clock,
    });
  }

  async start(sink: BridgeSink, url: string): Promise<void> {
    const { electron, policy, certificates, log } = this.#options;
    this.#home.address = url;
    this.#report.watch.wanted(this.#home.address);
    await electron.app.whenReady();
    // Without a menu there are no accelerators: no reload, no zoom, no developer tools.
    electron.Menu.setApplicationMenu(null);
    const kiosk = electron.session.fromPartition(PARTITION);
    lockSession(kiosk, policy, this.#report.refusals);
    this.#endJudging = judgeCertificates({ app: electron.app, session: kiosk, certificates, log });
    this.#endCertificates = refuseClientCertificates(electron.app, this.#report.refusals);
    electron.app.on('web-contents-created', this.#guard);
    this.#ports.open(sink);
    // The glass shows the page of the screen saver.
    this.#logins.start([kiosk, electron.session.fromPartition(partitionOf('glass'))]);
    this.#power.keepOn();
    await this.#home.start();
  }

  async stop(): Promise<void> {
    const { app } = this.#options.electron;
    this.#home.stop();
    this.#report.stop();
    this.#dark.stop();
    this.#own.stop();
    this.#ports.close();
    this.#logins.stop();
    this.#endJudging();
    this.#endJudging = () => {};
    this.#endCertificates();
    this.#window.stop();
    app.off('web-contents-created', this.#guard);
    this.#power.letGo();
  }

  async navigate(url: string): Promise<void> {
    await this.#home.navigate(url);
  }

  async reload(): Promise<void> {
    await this.#home.reload();
  }

  async bringToFront(): Promise<void> {
    this.#window.raise();
  }

  openBuiltIn(page: BuiltInPage): Promise<OpenedPage> {
    return this.#own.open(page);
  }

  async sleep(onTouch: () => void): Promise<void> {
    this.#power.letGo();
    this.#dark.close(onTouch);
    this.#live.follow();
  }

  async wake(): Promise<void> {
    await this.#dark.open();
    if (!this.#dark.isClosed && this.#home.view !== undefined) this.#power.keepOn();
    this.#live.follow();
  }

  async zoom(factor: number): Promise<void> {
    this.#home.zoom(factor);
  }

  /** Its window fills the screen by itself, however that is turned. */
  async turn(rotation: Rotation, isTurned: boolean): Promise<boolean> {
    return isTurned || rotation === 0;
  }

  watch(watcher: LiveWatcher): LiveWatch {
    return this.#live.watch(watcher);
  }

  async evaluate(expression: string): Promise<string> {
    return evaluate(this.#targets.of(this.#mustHavePage(), 'page').send, this.#clock, expression);
  }

  async openLayer(page: LayerPage): Promise<Layer> {
    return this.#own.openLayer(page);
  }

  async pressKey(key: string): Promise<void> {
    await this.#fields.press(key);
  }

  async makeRoom(height: number): Promise<void> {
    await this.#fields.makeRoom(height);
  }

  screenSize(): PageSize {
    return this.#window.size();
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const dark = this.#dark.contents;
    if (dark !== undefined) return written(await dark.capturePage(), format);
    const above = await this.#own.covering?.screenshot(format);
    if (above !== undefined) return above;
    return written(await this.#mustHavePage().capturePage(), format);
  }

  async clearCaches(origin: string): Promise<void> {
    const kiosk = this.#options.electron.session.fromPartition(PARTITION);
    await kiosk.clearStorageData({ origin, storages: ['serviceworkers', 'cachestorage'] });
    await kiosk.clearCache();
  }

  async clearStorage(origin: string): Promise<void> {
    await this.#options.electron.session.fromPartition(PARTITION).clearStorageData({ origin });
  }

  async memory(): Promise<number | undefined> {
    return helperMemory(this.#options.electron.app);
  }

  isWell(): boolean {
    return this.#home.supervisor.heartbeat.isWell;
  }

  graphics(): GraphicsFacts | undefined {
    const { app } = this.#options.electron;
    // The name of the processor comes by a promise that may wait for the processor.
    return app.isReady() ? graphicsOf({ device: '', features: { ...app.getGPUFeatureStatus() } }) : undefined;
  }

  recoveries(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return this.#home.supervisor.recovery.counts;
  }

  pageState(): PageState {
    return this.#report.watch.state;
  }

  pageConsole(): Feed<ConsoleEntry> {
    return this.#report.feed();
  }

  #followLayers(): void {
    const isDeaf = this.#own.covering !== undefined;
    if (isDeaf === this.#isDeaf) return;
    this.#isDeaf = isDeaf;
    const page = this.#home.view?.page;
    // The view above gets the input of a person; this is for what the system still gives to the page.
    if (page !== undefined) this.#tell(page, 'Input.setIgnoreInputEvents', { ignore: isDeaf });
  }

  /** Hears the console of a new page. Its name as a target is that of its top frame. */
  async #hear(page: WebContents): Promise<void> {
    const { sessionId, send } = this.#targets.of(page, 'page');
    try {
      const { targetInfo } = await send('Target.getTargetInfo', {});
      this.#console.watch(sessionId, targetInfo.targetId);
    } catch (error) {
      this.#onLate(error as Error);
    }
  }

  /** Sends a command to the page; does nothing when that is gone. */
  #tell(page: WebContents, ...command: Parameters<SendTo>): void {
    this.#targets
      .of(page, 'page')
      .send(...command)
      .catch(this.#onLate);
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the page is already closed');

  #mustHavePage(): WebContents {
    const page = this.#home.view?.page;
    if (page === undefined) throw new Error('The kiosk window is not open.');
    return page;
  }

  #liveTarget(): LiveTarget | undefined {
    const dark = this.#dark.contents;
    if (dark !== undefined) return this.#targets.of(dark, 'blank');
    const page = this.#home.view?.page;
    return page && this.#targets.of(page, 'page');
  }

  readonly #guard = (_event: unknown, contents: WebContents): void => {
    const { policy } = this.#options;
    const allows = (url: string) =>
      this.#own.pageOf(contents)?.allows(url) ?? isNavigationAllowed(policy, url);
    guardContents(contents, allows, this.#report.refusals);
  };
}
