import type { GraphicsFacts } from '../../contract/system.ts';
import { graphicsOf } from '../graphics.ts';
import type { BuiltInPage, FieldFocus, LayerPage, PageSize } from '../host.ts';
import { placeOf } from '../navigationPolicy.ts';
import type { PageUnreachable } from '../recovery/pageUnreachable.ts';
import type { WindowStack } from '../windowStack.ts';
import { FieldWatch } from './guards/fieldWatch.ts';
import { FrameGuard } from './guards/frameGuard.ts';
import { LoginGuard } from './guards/loginGuard.ts';
import type { LiveTarget } from './live/target.ts';
import { Typing } from './live/typing.ts';
import { BrowserProcess, type BrowserProcessOptions } from './process/browserProcess.ts';
import { NoScreenError } from './process/browserRun.ts';
import type { CdpEvent, ScreencastFrame } from './process/cdpProtocol.ts';
import { EMPTY_PAGE } from './process/commandLine.ts';
import type { BlankWindow } from './windows/blankWindow.ts';
import type { BuiltInWindow } from './windows/builtInWindow.ts';
import { KioskPage, type KioskPageOptions, type PageTrouble } from './windows/kioskPage.ts';
import {
  type BlankListener,
  type BuiltInListener,
  type LayerListener,
  OwnWindows,
} from './windows/ownWindows.ts';
import { PageOnScreen, type PageView } from './windows/pageView.ts';
import { type AttachedTarget, PopupGuard, TargetTracker } from './windows/targetTracker.ts';
import { WindowOpening } from './windows/windowOpening.ts';
import { WindowPlaces } from './windows/windowPlaces.ts';

/** What a browser's process and its kiosk page need, and what is between them. */
export interface BrowserOptions
  extends Pick<BrowserProcessOptions, 'binary' | 'flags' | 'env' | 'user' | 'starter' | 'early'>,
    Omit<
      KioskPageOptions,
      'targetId' | 'sessionId' | 'send' | 'logins' | 'permittedOrigins' | 'onTrouble' | 'view'
    > {
  /** What places the windows; undefined for the browser itself. */
  readonly stack: WindowStack | undefined;
  readonly onTrouble: (
    trouble: PageTrouble | 'frame-crash' | 'window-closed',
    why?: PageUnreachable['refusal'],
  ) => void;
  /** A person uses the kiosk page; at most once per second. */
  readonly onActivity: () => void;
  /** A video or wake lock of the page keeps the panel awake; about once a second while it does. */
  readonly onKeepAwake: () => void;
  readonly keepAwakeEveryMs: number | undefined;
  /** Zoom and turn of the kiosk page. */
  readonly view: PageView;
  /** A person at the panel asks for the settings page. */
  readonly onSettingsCall: () => void;
  /** A field of a page got the focus, or none has it any more. */
  readonly onField: (focus: FieldFocus | undefined) => void;
  readonly screenSize: () => PageSize;
  /** A picture for those who watch from afar. */
  readonly onPicture: (sessionId: string, picture: ScreencastFrame) => void;
  /** The screen was measured, in pixels of the page. */
  readonly onScreen: (size: PageSize) => void;
}

/**
 * One run of the browser with the kiosk page in it: opens the page, closes every window that is not ours, ends the
 * browser.
 */
export class Browser {
  readonly #options: BrowserOptions;
  readonly #process: BrowserProcess;
  readonly #popups: PopupGuard;
  readonly #fields: FieldWatch;
  readonly #frames: FrameGuard;
  /** The keys of the keyboard on the screen. */
  readonly typing: Typing;
  readonly #targets: TargetTracker;
  readonly #logins: LoginGuard;
  #page: KioskPage | undefined;
  readonly #places: WindowPlaces;
  readonly #own: OwnWindows;
  readonly #screen: PageOnScreen;
  readonly #opening: WindowOpening;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#process = new BrowserProcess({ ...options, onEvent: (event) => this.#handle(event) });
    const tools = { ...options, send: this.#process.send, onLate: this.#onLate };
    this.#fields = new FieldWatch({
      ...tools,
      onField: (focus) => {
        void this.typing.follow();
        options.onField(focus);
      },
    });
    this.typing = new Typing({
      ...tools,
      fields: this.#fields,
      makeRoom: (sessionId, height) => options.view.makeRoom(this.#process.send, sessionId, height),
      fillsScreen: (sessionId) => sessionId === this.#page?.sessionId || sessionId === this.upper?.sessionId,
    });
    this.#logins = new LoginGuard({
      send: this.#process.send,
      extras: options.extras,
      chosen: () => options.policy.chosenOrigins?.() ?? options.policy.bridgeOrigins(),
      onRefused: (origin) => options.report.refusals.tell('login refused', { to: placeOf(origin) }),
      onLate: this.#onLate,
    });
    this.#frames = new FrameGuard({ ...tools, fields: this.#fields, logins: this.#logins });
    this.#targets = new TargetTracker({
      send: this.#process.send,
      clock: options.clock,
      limits: options.limits,
      onForeign: (window) => this.#attach(window),
      onLate: this.#onLate,
    });
    this.#popups = new PopupGuard(this.#process.send, options.clock, this.#onLate);
    this.#places = new WindowPlaces({ ...tools, targets: this.#targets });
    this.#screen = new PageOnScreen({ ...tools, places: this.#places, page: () => this.#page });
    this.#opening = new WindowOpening(options);
    this.#own = new OwnWindows({
      ...tools,
      logins: this.#logins,
      fields: this.#fields,
      targets: this.#targets,
      places: this.#places,
    });
  }

  /** The kiosk page, ready; undefined while its window is not open. */
  get page(): KioskPage | undefined {
    return this.#page;
  }

  /** The black window of a sleeping panel, while it is open. */
  get dark(): BlankWindow | undefined {
    return this.#own.dark;
  }

  /** The built-in page over the kiosk page, while there is one. */
  get upper(): BuiltInWindow | undefined {
    return this.#own.upper;
  }

  /** What the screen shows below a built-in page, as it can be watched; undefined while no window is open. */
  get live(): LiveTarget | undefined {
    return (this.dark ?? this.#page)?.live;
  }

  /** Memory of the browser and all its helpers, in bytes. */
  async memory(): Promise<number> {
    return this.#process.memory();
  }

  /** How it draws. @throws CdpError */
  async graphics(): Promise<GraphicsFacts> {
    const { gpu } = await this.#process.send('SystemInfo.getInfo', {});
    return graphicsOf({ device: gpu.devices[0]?.deviceString ?? '', features: gpu.featureStatus ?? {} });
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
    const opened = this.#opening.begin(this.exited);
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
      if (this.#places.opensApps) await this.#places.openRoot(this.#page!);
      await this.#screen.fill();
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
    if (this.#places.opensApps) {
      const { sessionId, targetId } = await this.#places.open('about:blank');
      await this.#openPage(sessionId, targetId);
      return this.#screen.fill();
    }
    await Promise.all([
      this.#opening.begin(this.exited),
      this.#process.send('Target.createTarget', {
        url: EMPTY_PAGE,
        newWindow: true,
        windowState: 'fullscreen',
      }),
    ]);
    await this.#screen.fill();
  }

  /** @see OwnWindows.openBlank */
  openBlank(listener: BlankListener): Promise<void> {
    return this.#own.openBlank(listener);
  }

  /** @see OwnWindows.openBuiltIn */
  openBuiltIn(page: BuiltInPage, listener: BuiltInListener): Promise<BuiltInWindow> {
    return this.#own.openBuiltIn(page, listener, this.#page?.targetId);
  }

  /** @see OwnWindows.openLayer */
  openLayer(page: LayerPage, listener: LayerListener): Promise<BuiltInWindow> {
    return this.#own.openLayer(page, listener);
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
        this.#fields.forget(event.params.sessionId);
        this.typing.forget(event.params.sessionId);
        this.#options.view.forget(event.params.sessionId);
        // Without it no window can be opened any more.
        if (this.#places.isRoot(event.params.sessionId)) this.kill();
        this.#own.at(event.params.sessionId)?.dropped();
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
        if (this.#fields.handle(event) || this.#frames.handle(event)) break;
        if (event.method === 'Inspector.targetCrashed' && this.#frames.crashed(event.sessionId ?? '')) {
          this.#options.onTrouble('frame-crash');
          break;
        }
        this.#handleTarget(event, event.sessionId ?? '');
    }
  }

  #handleTarget(event: CdpEvent, sessionId: string): void {
    const target = sessionId === this.#page?.sessionId ? this.#page : this.#own.at(sessionId);
    if (target !== undefined) target.handle(event);
    else if (event.method === 'Fetch.requestPaused') this.#popups.refuse(sessionId, event.params.requestId);
  }

  /** @param parent session of the page or frame that the target belongs to; none for windows */
  #attach(window: AttachedTarget, parent?: string): void {
    const { sessionId, targetInfo } = window;
    const { type, targetId } = targetInfo;
    if (type === 'iframe') this.#frames.guard(sessionId);
    else if (type === 'worker' || type === 'shared_worker') this.#frames.hear(sessionId, targetInfo.url);
    else if (type !== 'page') this.#frames.release(sessionId, parent);
    else if (this.#targets.holds(window)) return;
    else if (this.#page === undefined) void this.#openPage(sessionId, targetId);
    else {
      this.#options.report.refusals.tell('window refused');
      this.#popups.shut(sessionId, targetId);
      // It opens on top, so it stays hidden until it is closed.
      (this.dark ?? this.upper ?? this.#page)?.raise().catch(this.#onLate);
    }
  }

  async #openPage(sessionId: string, targetId: string): Promise<void> {
    const page = new KioskPage({
      ...this.#options,
      logins: this.#logins,
      sessionId,
      targetId,
      send: this.#process.send,
      permittedOrigins: () => this.#own.mediaOrigins,
    });
    this.#page = page;
    this.#opening.shown();
    try {
      this.#frames.watch(sessionId, targetId);
      await page.setUp();
      this.#opening.ready();
    } catch (error) {
      // Its window closed meanwhile, which is reported separately.
      if (this.#page !== page) return;
      // A page without its guards must not stay. The host notices the browser's end and starts a new one.
      this.#options.log.error({ err: error }, 'kiosk: could not set up the page');
      this.#process.kill();
    }
  }

  /** Gives the kiosk page the zoom and the turn that are wanted. @throws CdpError */
  async applyView(): Promise<void> {
    await this.#screen.applyView();
  }

  /**
   * The screen has turned: its windows fill it anew.
   * @param lies whether it changed between upright and flat: its windows are notified a moment later
   * @throws CdpError
   */
  async screenChanged(lies: boolean): Promise<void> {
    await this.#screen.changed(lies);
  }

  #dropPage(): void {
    if (this.#page !== undefined) this.#options.stack?.forget('page');
    this.#page?.close();
    this.#page = undefined;
  }

  #dropWindows(): void {
    this.#places.forget();
    this.#frames.forgetAll();
    this.#fields.forget();
    this.typing.forget();
    this.#dropPage();
    this.#own.drop();
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the target is already closed');
}
