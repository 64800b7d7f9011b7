import type { Debugger, LoadURLOptions, NativeImage, WebContents, WebFrameMain } from 'electron';
import type { DebuggerEvents, PageEvents } from './electronEvents.ts';
import { eventOf, FakeEmitter } from './fakeEmitter.ts';

// Each class implements what the host uses of the real one, by the types of electron.d.ts: a call with other arguments does
// not compile.

type UsedFrame = Pick<WebFrameMain, 'origin' | 'isDestroyed' | 'send' | 'executeJavaScript'>;

export class FakeFrame implements UsedFrame {
  origin = 'null';
  /** Of its process, and of it there. */
  ids: readonly [number, number] = [1, 1];
  readonly sent: unknown[][] = [];
  /** What the page's thread answers; a promise that never ends for one that hangs. */
  pulse: Promise<unknown> = Promise.resolve(1);

  isDestroyed(): boolean {
    return false;
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

/**
 * Chromium's protocol with one page: notes the commands and answers them with what a test says. As electron.d.ts warns,
 * nothing is answered before the page was sent somewhere.
 */
export class FakeDebugger extends FakeEmitter<DebuggerEvents, Debugger> implements UsedDebugger {
  /** `frame`: the session of a frame, as Chromium names it. */
  readonly sent: { method: string; params: unknown; frame?: string }[] = [];
  /** Answers by method; any other command is answered with an empty object. */
  readonly answers = new Map<string, unknown>([['Target.getTargetInfo', { targetInfo: { targetId: 'T' } }]]);
  attached = 0;
  /** How many commands were answered so far. */
  answered = 0;
  readonly #sentAway = Promise.withResolvers<void>();

  attach(): void {
    this.attached++;
  }

  isAttached(): boolean {
    return this.attached > 0;
  }

  /** The page is sent somewhere. */
  leaves(): void {
    this.#sentAway.resolve();
  }

  async sendCommand(method: string, params?: unknown, frame?: string): Promise<unknown> {
    if (frame === '') throw new Error('Empty session id is not allowed');
    this.sent.push({ method, params, ...(frame !== undefined && { frame }) });
    await this.#sentAway.promise;
    // From another process.
    await new Promise(setImmediate);
    this.answered++;
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
  | 'setZoomFactor'
  | 'capturePage'
  | 'setWindowOpenHandler'
  | 'loadURL'
  | 'forcefullyCrashRenderer'
  | 'executeJavaScriptInIsolatedWorld'
  | 'getOSProcessId'
  | 'getTitle'
  | 'focus'
  | 'isFocused'
  | 'close'
  | 'isDestroyed'
>;
type WindowOpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0];

export class FakePage extends FakeEmitter<PageEvents, WebContents> implements UsedPage {
  readonly frame = new FakeFrame();
  readonly tools = new FakeDebugger();
  /** Process id of its renderer. */
  pid = 4_200;
  windowOpenHandler: WindowOpenHandler | undefined;
  isGone = false;
  hasKeys = (): boolean => false;
  takeKeys = (): void => {};
  /** Addresses that were loaded, with their options, and how many commands were answered before. */
  readonly loads: { url: string; options: LoadURLOptions | undefined; answered: number }[] = [];
  crashes = 0;
  /** Whether it reports the end of a renderer that was killed. */
  endsWhenCrashed = true;
  picture: Uint8Array = Buffer.from('a picture');

  /** Addresses that were loaded after the empty document. */
  get loaded(): string[] {
    return this.loads.map(({ url }) => url).filter((url) => url !== 'about:blank');
  }

  get debugger(): Debugger {
    return this.tools.real;
  }

  get mainFrame(): WebFrameMain {
    return this.frame.real;
  }

  setZoomFactor(): void {}

  async capturePage(): Promise<NativeImage> {
    return { toPNG: () => this.picture } as NativeImage;
  }

  async loadURL(url: string, options?: LoadURLOptions): Promise<void> {
    this.loads.push({ url, options, answered: this.tools.answered });
    this.tools.leaves();
    this.frame.origin = new URL(url).origin;
    this.listeners.emit('did-navigate', eventOf(), url, 200, 'OK');
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.windowOpenHandler = handler;
  }

  forcefullyCrashRenderer(): void {
    this.crashes++;
    const details = { reason: 'crashed', exitCode: 1 } as const;
    if (this.endsWhenCrashed) this.listeners.emit('render-process-gone', eventOf(), details);
  }

  /** Whatever gets the keys while the event is told loses them again, as in Electron. */
  focus(): void {
    this.listeners.emit('focus');
    this.takeKeys();
  }

  isFocused(): boolean {
    return this.hasKeys();
  }

  close(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.listeners.emit('destroyed');
  }

  isDestroyed(): boolean {
    return this.isGone;
  }

  getTitle(): string {
    return '';
  }

  getOSProcessId(): number {
    return this.pid;
  }

  async executeJavaScriptInIsolatedWorld(): Promise<unknown> {
    return true;
  }

  get real(): WebContents {
    return this as unknown as WebContents;
  }
}
