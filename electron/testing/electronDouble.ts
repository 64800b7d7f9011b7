import type {
  App,
  BrowserWindow,
  BrowserWindowConstructorOptions,
  CommandLine,
  Debugger,
  Display,
  Event,
  IpcMain,
  IpcMainEvent,
  LoadURLOptions,
  NativeImage,
  ProcessMetric,
  Session,
  WebContents,
  WebFrameMain,
} from 'electron';
import type { ElectronApi } from '../electronApi.ts';
import type { AppEvents, DebuggerEvents, PageEvents, SessionEvents, WindowEvents } from './electronEvents.ts';

// Written by hand from electron.d.ts: each class implements what the host uses of the real one, so that a call with
// other arguments does not compile. It never ran beside a real Electron.

/** Listeners of one object, and the way to play its events. */
class Listeners<E extends object> {
  readonly #all = new Map<PropertyKey, Set<(...args: never[]) => unknown>>();

  add(name: PropertyKey, listener: (...args: never[]) => unknown): void {
    this.#all.set(name, (this.#all.get(name) ?? new Set()).add(listener));
  }

  remove(name: PropertyKey, listener: (...args: never[]) => unknown): void {
    this.#all.get(name)?.delete(listener);
  }

  emit<K extends keyof E>(name: K, ...args: E[K] & unknown[]): void {
    for (const listener of [...(this.#all.get(name) ?? [])]) listener(...(args as never[]));
  }

  count(name: PropertyKey): number {
    return this.#all.get(name)?.size ?? 0;
  }
}

/** Emits the events of the Electron object that it replaces. */
class FakeEmitter<E extends object, Real extends Record<'on' | 'off', unknown>> {
  readonly listeners = new Listeners<E>();
  readonly on = this.#on.bind(this) as unknown as Real['on'];
  readonly off = this.#off.bind(this) as unknown as Real['off'];

  #on(name: string, listener: () => void): this {
    this.listeners.add(name, listener);
    return this;
  }

  #off(name: string, listener: () => void): this {
    this.listeners.remove(name, listener);
    return this;
  }
}

/** An event that remembers whether it was prevented. */
export function eventOf<P extends object>(params?: P): Event<P> {
  const event = {
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return Object.assign(event, params) as unknown as Event<P>;
}

type UsedFrame = Pick<WebFrameMain, 'origin' | 'isDestroyed' | 'send' | 'executeJavaScript'>;

export class FakeFrame implements UsedFrame {
  origin = 'null';
  readonly sent: unknown[][] = [];
  isGone = false;
  /** What the page's thread answers; a promise that never ends for one that hangs. */
  pulse: Promise<unknown> = Promise.resolve(1);

  isDestroyed(): boolean {
    return this.isGone;
  }

  send(channel: string, ...args: unknown[]): void {
    this.sent.push([channel, ...args]);
  }

  executeJavaScript(): Promise<unknown> {
    return this.pulse;
  }

  get real(): WebFrameMain {
    return this as unknown as WebFrameMain;
  }
}

type UsedDebugger = Pick<Debugger, 'on' | 'attach' | 'isAttached' | 'sendCommand'>;

/** Chromium's protocol with one page: notes the commands and answers them with what a test says. */
export class FakeDebugger extends FakeEmitter<DebuggerEvents, Debugger> implements UsedDebugger {
  readonly sent: { method: string; params: unknown }[] = [];
  /** Answers by method; any other command is answered with an empty object. */
  readonly answers = new Map<string, unknown>();
  attached = 0;

  attach(): void {
    this.attached++;
  }

  isAttached(): boolean {
    return this.attached > 0;
  }

  async sendCommand(method: string, params?: unknown): Promise<unknown> {
    this.sent.push({ method, params });
    return this.answers.get(method) ?? {};
  }

  get real(): Debugger {
    return this as unknown as Debugger;
  }
}

type UsedPage = Pick<
  WebContents,
  | 'on'
  | 'debugger'
  | 'mainFrame'
  | 'reload'
  | 'setZoomFactor'
  | 'capturePage'
  | 'setWindowOpenHandler'
  | 'loadURL'
  | 'forcefullyCrashRenderer'
  | 'executeJavaScriptInIsolatedWorld'
  | 'getOSProcessId'
>;
type WindowOpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0];

export class FakePage extends FakeEmitter<PageEvents, WebContents> implements UsedPage {
  readonly frame = new FakeFrame();
  readonly tools = new FakeDebugger();
  /** Process id of its renderer. */
  pid = 4_200;
  windowOpenHandler: WindowOpenHandler | undefined;
  /** Addresses that were loaded in the page itself, not through its window. */
  readonly loads: { url: string; options: LoadURLOptions | undefined }[] = [];
  reloads = 0;
  zoom = 1;
  crashes = 0;
  /** Whether it reports the end of a renderer that was killed. */
  endsWhenCrashed = true;
  hasVisibleContent = true;
  picture: Uint8Array = Buffer.from('a picture');

  get debugger(): Debugger {
    return this.tools.real;
  }

  get mainFrame(): WebFrameMain {
    return this.frame.real;
  }

  setZoomFactor(factor: number): void {
    this.zoom = factor;
  }

  reload(): void {
    this.reloads++;
  }

  async capturePage(): Promise<NativeImage> {
    const toJPEG = (quality: number) => Buffer.from(`${this.picture} of ${quality} %`);
    return { toPNG: () => this.picture, toJPEG } as NativeImage;
  }

  async loadURL(url: string, options?: LoadURLOptions): Promise<void> {
    this.loads.push({ url, options });
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.windowOpenHandler = handler;
  }

  forcefullyCrashRenderer(): void {
    this.crashes++;
    const details = { reason: 'crashed', exitCode: 1 } as const;
    if (this.endsWhenCrashed) this.listeners.emit('render-process-gone', eventOf(), details);
  }

  getOSProcessId(): number {
    return this.pid;
  }

  async executeJavaScriptInIsolatedWorld(): Promise<unknown> {
    return this.hasVisibleContent;
  }

  get real(): WebContents {
    return this as unknown as WebContents;
  }
}

type UsedWindow = Pick<
  BrowserWindow,
  | 'on'
  | 'webContents'
  | 'loadURL'
  | 'moveTop'
  | 'focus'
  | 'destroy'
  | 'isDestroyed'
  | 'setAlwaysOnTop'
  | 'setBounds'
  | 'show'
  | 'showInactive'
  | 'hide'
>;

export class FakeWindow extends FakeEmitter<WindowEvents, BrowserWindow> implements UsedWindow {
  readonly page = new FakePage();
  readonly options: BrowserWindowConstructorOptions;
  readonly loaded: string[] = [];
  /** Why pages cannot be loaded now, in Chromium's words. */
  refusal: string | undefined;
  raises = 0;
  level: string | undefined;
  isGone = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    this.options = options;
  }

  get webContents(): WebContents {
    return this.page.real;
  }

  async loadURL(url: string): Promise<void> {
    this.loaded.push(url);
    const { listeners, frame } = this.page;
    if (this.refusal !== undefined && url.startsWith('http')) {
      listeners.emit('did-fail-load', eventOf(), -102, this.refusal, url, true, 1, 1);
      throw new Error(`${this.refusal} (-102) loading '${url}'`);
    }
    frame.origin = new URL(url).origin;
    listeners.emit('did-navigate', eventOf(), url, 200, 'OK');
  }

  moveTop(): void {
    this.raises++;
  }

  focus(): void {}

  /** What was done to show and hide it. */
  readonly shown: string[] = [];

  setBounds({ x, y, width, height }: Parameters<BrowserWindow['setBounds']>[0]): void {
    this.shown.push(`${x},${y} ${width}x${height}`);
  }

  show(): void {
    this.shown.push('show');
  }

  showInactive(): void {
    this.shown.push('showInactive');
  }

  hide(): void {
    this.shown.push('hide');
  }

  isDestroyed(): boolean {
    return this.isGone;
  }

  setAlwaysOnTop(_flag: boolean, level?: string): void {
    this.level = level;
  }

  destroy(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.listeners.emit('closed');
  }
}

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];
type VerifyProc = Parameters<Session['setCertificateVerifyProc']>[0];
type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];
type UsedSession = Pick<
  Session,
  | 'on'
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setCertificateVerifyProc'
  | 'clearStorageData'
  | 'clearCache'
>;

export class FakeSession extends FakeEmitter<SessionEvents, Session> implements UsedSession {
  request: RequestHandler = null;
  check: CheckHandler = null;
  device: DeviceHandler = null;
  verify: VerifyProc = null;
  readonly cleared: unknown[] = [];

  setPermissionRequestHandler(handler: RequestHandler): void {
    this.request = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler): void {
    this.check = handler;
  }

  setDevicePermissionHandler(handler: DeviceHandler): void {
    this.device = handler;
  }

  setCertificateVerifyProc(proc: VerifyProc): void {
    this.verify = proc;
  }

  async clearStorageData(options: Parameters<Session['clearStorageData']>[0]): Promise<void> {
    this.cleared.push(options);
  }

  async clearCache(): Promise<void> {
    this.cleared.push('cache');
  }

  get real(): Session {
    return this as unknown as Session;
  }
}

type UsedApp = Pick<
  App,
  | 'on'
  | 'off'
  | 'whenReady'
  | 'getAppMetrics'
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'setName'
  | 'setPath'
  | 'userAgentFallback'
>;

export class FakeApp extends FakeEmitter<AppEvents, App> implements UsedApp {
  /** Calls in their order. */
  readonly calls: string[] = [];
  isFirst = true;
  metrics: (Pick<ProcessMetric, 'type' | 'pid'> & { cpu?: Partial<ProcessMetric['cpu']> })[] = [];
  readonly commandLine = {
    appendSwitch: (name: string, value?: string) =>
      void this.calls.push(value === undefined ? name : `${name}=${value}`),
    hasSwitch: (name: string) => this.given.has(name),
    getSwitchValue: (name: string) => this.given.get(name) ?? '',
  } as CommandLine;
  /** Switches of the command line that Electron was started with. */
  readonly given = new Map<string, string>();
  name = 'Electron';
  readonly paths = new Map<string, string>();
  userAgentFallback = 'Mozilla/5.0';

  async whenReady(): Promise<void> {
    this.calls.push('whenReady');
  }

  getAppMetrics(): ProcessMetric[] {
    return this.metrics.map((metric) => ({ cpu: {}, ...metric })) as ProcessMetric[];
  }

  setName(name: string): void {
    this.name = name;
  }

  setPath(name: string, path: string): void {
    this.calls.push(name);
    this.paths.set(name, path);
  }

  enableSandbox(): void {
    this.calls.push('enableSandbox');
  }

  requestSingleInstanceLock(): boolean {
    this.calls.push('lock');
    return this.isFirst;
  }

  get real(): App {
    return this as unknown as App;
  }
}

type UsedIpc = Pick<IpcMain, 'on' | 'off'>;

class FakeIpc extends FakeEmitter<Record<string, [IpcMainEvent, ...unknown[]]>, IpcMain> implements UsedIpc {
  /** A message of a frame, as Electron delivers it. @returns the answer to one that waits for it. */
  send(sender: FakePage, senderFrame: FakeFrame | null, channel: string, ...args: unknown[]): unknown {
    const event = { sender, senderFrame, returnValue: undefined } as unknown as IpcMainEvent;
    this.listeners.emit(channel, event, ...args);
    return event.returnValue;
  }
}

/** The parts of Electron that the host uses; they record all calls. */
export class ElectronDouble {
  readonly app = new FakeApp();
  readonly ipcMain = new FakeIpc();
  readonly sessions = new Map<string, FakeSession>();
  readonly windows: FakeWindow[] = [];
  readonly blockers = new Map<number, string>();
  menu: unknown = 'the menu of Electron';
  /** Whether new windows can load pages. */
  refusal: string | undefined;

  /** The API as the host takes it. */
  get api(): ElectronApi {
    const { app, ipcMain, windows } = this;
    const double = this;
    return {
      app: app.real,
      ipcMain: ipcMain as unknown as IpcMain,
      BrowserWindow: class extends FakeWindow {
        constructor(options?: BrowserWindowConstructorOptions) {
          super(options);
          this.refusal = double.refusal;
          windows.push(this);
          app.listeners.emit('web-contents-created', eventOf(), this.webContents);
        }
      } as unknown as ElectronApi['BrowserWindow'],
      Menu: {
        setApplicationMenu: (menu: Parameters<ElectronApi['Menu']['setApplicationMenu']>[0]) => {
          this.menu = menu;
        },
      } as ElectronApi['Menu'],
      powerSaveBlocker: {
        start: (type) => {
          const id = this.blockers.size + 1;
          this.blockers.set(id, type);
          return id;
        },
        stop: (id) => this.blockers.delete(id),
        isStarted: (id) => this.blockers.has(id),
      } satisfies Pick<
        ElectronApi['powerSaveBlocker'],
        'start' | 'stop' | 'isStarted'
      > as ElectronApi['powerSaveBlocker'],
      screen: {
        getPrimaryDisplay: () => ({ size: { width: 1280, height: 800 } }) as Display,
      } satisfies Pick<ElectronApi['screen'], 'getPrimaryDisplay'> as ElectronApi['screen'],
      session: {
        fromPartition: (partition: string) => {
          const found = this.sessions.get(partition) ?? new FakeSession();
          this.sessions.set(partition, found);
          return found.real;
        },
      } as ElectronApi['session'],
    };
  }

  /** The windows that are open, oldest first. */
  get open(): FakeWindow[] {
    return this.windows.filter(({ isGone }) => !isGone);
  }
}
