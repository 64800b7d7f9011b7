import { Backoff } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { BuiltInPage, PageSize, PictureFormat } from '../../host.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import { BridgeGate } from '../guards/bridgeGate.ts';
import type { LoginGuard } from '../guards/loginGuard.ts';
import { ownPageScript, randomNames } from '../guards/pageScript.ts';
import type { CdpCommands, CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { EMPTY_PAGE } from '../process/commandLine.ts';
import { grantPermissions } from './originScript.ts';
import { BLACK, captureOf, closeWindow, RaiseLimit } from './windowCommands.ts';

interface BuiltInWindowOptions {
  readonly page: BuiltInPage;
  readonly targetId: string;
  readonly sessionId: string;
  readonly send: CdpSend;
  /** Whether the window may come to the top now; not while the panel sleeps. */
  readonly mayRaise: () => boolean;
  /** Gives the empty window to what places it, if anything does. */
  readonly adopt: () => Promise<void>;
  /** Makes a visible page fill the screen when nothing places its window. */
  readonly fill: () => Promise<void>;
  /** The window is gone, for whatever reason. */
  readonly onGone: () => void;
  /** Its document is there and has run its scripts; again for each document that takes its place. */
  readonly onReady?: () => void;
  /** The document of an unseen page is lost; it is loaded again in its window. */
  readonly onLost?: () => void;
  readonly logins: LoginGuard;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

type RequestPaused = Extract<CdpEvent, { method: 'Fetch.requestPaused' }>['params'];

/** Delays before an unseen page is loaded again. */
const AGAIN = { firstMs: 500, maxMs: 30_000, peaceMs: 30_000 };
/** How long a finger may rest on a layer that is to hide, in milliseconds. */
const HELD_MS = 5_000;
/** Reports, from an isolated world, that another window has come above. */
const WORLD = 'faceplate-cover';

/**
 * The window of a built-in page, or the tab of an unseen one. It shows only that page's origin: every navigation away
 * is refused. A page that crashed or ends up elsewhere is closed; an unseen one is loaded again in its tab. Its bridge
 * is a channel of strings that exists in this target only.
 */
export class BuiltInWindow {
  readonly targetId: string;
  readonly sessionId: string;
  readonly page: BuiltInPage;
  readonly origin: string;
  readonly #options: BuiltInWindowOptions;
  readonly #gate: BridgeGate;
  readonly #names = randomNames();
  readonly #covered = randomNames().binding;
  readonly #held = randomNames().binding;
  #isHeld = false;
  #onReleased = () => {};
  readonly #end = Promise.withResolvers<void>();
  readonly #raising: RaiseLimit;
  readonly #backoff: Backoff;
  #cancelAgain = () => {};
  #closing: Promise<void> | undefined;
  readonly #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  /** The document is its own, and not an empty one or one of the browser. */
  #isThere = false;
  #gone = false;

  constructor(options: BuiltInWindowOptions) {
    const { targetId, sessionId, page, send, log, clock } = options;
    this.#options = options;
    this.targetId = targetId;
    this.sessionId = sessionId;
    this.page = page;
    this.origin = new URL(page.url).origin;
    this.#raising = new RaiseLimit(clock, () => {
      if (options.mayRaise()) this.raise().catch(this.#onLate);
    });
    this.#backoff = new Backoff(clock, AGAIN);
    this.#gate = new BridgeGate({
      targetId,
      policy: { bridgeOrigins: () => [this.origin] },
      sink: page.sink,
      browserUrl: async () => (await send('Target.getTargetInfo', { targetId })).targetInfo.url,
      deliver: (uniqueContextId, json) => {
        const expression = `window[${JSON.stringify(this.#names.deliver)}]?.(${JSON.stringify(json)})`;
        this.#do('Runtime.evaluate', { expression, uniqueContextId, silent: true });
      },
      log,
      clock,
    });
  }

  /**
   * Sets guards and bridge, then shows the page; resolves when it has begun to load. @throws Error when it does not.
   */
  async setUp(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const { clock, limits } = this.#options;
    const began = clock.now();
    const cancel = clock.after(limits.builtInPage.ms, () => {
      limits.builtInPage.missed();
      late.reject(new Error('The page does not load.'));
    });
    const ended = this.#end.promise.then(() => Promise.reject(new Error('The window is gone.')));
    try {
      await Promise.race([this.#setUp(), late.promise, ended]);
      limits.builtInPage.met(clock.now() - began);
    } finally {
      cancel();
    }
  }

  async #setUp(): Promise<void> {
    const { page, send, log } = this.#options;
    const source = ownPageScript(this.#names, this.origin);
    const covered = this.#covered;
    await Promise.all([
      // Its window shows before its page: a dark panel must not flash white.
      this.#send('Emulation.setDefaultBackgroundColorOverride', BLACK),
      this.#send('Page.enable', {}),
      this.#options.onReady && this.#send('Page.setLifecycleEventsEnabled', { enabled: true }),
      this.#send('Runtime.enable', {}),
      this.#send('Inspector.enable', {}),
      this.#send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
      this.#send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }),
      this.#send('Runtime.addBinding', { name: this.#names.binding }),
      this.#send('Page.addScriptToEvaluateOnNewDocument', { source }),
      this.#send('Runtime.addBinding', { name: covered, executionContextName: WORLD }),
      this.#send('Page.addScriptToEvaluateOnNewDocument', {
        source: coveredScript(covered),
        worldName: WORLD,
      }),
      this.#options.onReady && this.#watchFingers(),
      // A hidden tab is treated as visible: it draws, and its timers are not slowed down.
      this.#send('Emulation.setFocusEmulationEnabled', { enabled: !page.visible }),
      page.media && grantPermissions(send, this.origin, log),
      this.#send('Runtime.runIfWaitingForDebugger', {}),
    ]);
    await this.#options.adopt();
    await this.#load();
    await this.#begun.promise;
    if (!page.visible) return;
    await this.#options.fill();
    if (this.#options.mayRaise()) await this.raise();
  }

  async #load(): Promise<void> {
    const { errorText } = await this.#send('Page.navigate', { url: this.page.url });
    if (errorText) throw new Error(`The page cannot be shown: ${errorText}.`);
  }

  handle(event: CdpEvent): void {
    if (this.#gate.handle(event, this.#names.binding)) return;
    switch (event.method) {
      case 'Runtime.bindingCalled':
        if (event.params.name === this.#held) this.#touched(event.params.payload === 'held');
        if (event.params.name === this.#covered && this.page.visible && this.#options.mayRaise())
          this.#raising.soon();
        break;
      case 'Fetch.requestPaused':
        this.#judgeNavigation(event.params);
        break;
      case 'Page.javascriptDialogOpening':
        this.#do('Page.handleJavaScriptDialog', { accept: event.params.type === 'beforeunload' });
        break;
      case 'Page.frameNavigated':
        if (event.params.frame.parentId === undefined) this.#judgeArrival(event.params.frame);
        break;
      case 'Page.lifecycleEvent':
        if (
          event.params.frameId === this.targetId &&
          event.params.name === 'DOMContentLoaded' &&
          this.#isThere
        )
          this.#options.onReady?.();
        break;
      case 'Inspector.targetCrashed':
        this.#leave('the page crashed');
        break;
    }
  }

  /** Puts the window above all others. */
  async raise(): Promise<void> {
    this.#raising.raised();
    await this.#send('Page.bringToFront', {});
  }

  /** Resolves when no finger is on the page any more: what was pressed here must not be released over the page below. */
  async released(): Promise<void> {
    if (!this.#isHeld || this.#gone) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(HELD_MS, resolve);
      this.#onReleased = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Sends a JSON string to the document; only its own document takes any. */
  post(json: string): void {
    if (!this.#isThere) return;
    const expression = `window[${JSON.stringify(this.#names.deliver)}]?.(${JSON.stringify(json)})`;
    this.#do('Runtime.evaluate', { expression, silent: true });
  }

  /** Gives the page the size of its part of the screen; null: that of its window. */
  async resize(size: PageSize | null): Promise<void> {
    if (size === null) return void (await this.#send('Emulation.clearDeviceMetricsOverride', {}));
    const { width, height } = size;
    await this.#send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 0,
      mobile: false,
    });
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const { data } = await this.#send('Page.captureScreenshot', captureOf(format));
    return Buffer.from(data, 'base64');
  }

  /** Keeps all input from the page. */
  async ignoreInput(ignore: boolean): Promise<void> {
    await this.#send('Input.setIgnoreInputEvents', { ignore }).catch(this.#onLate);
  }

  /** Closes the window; resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#gone) return;
    this.#closing ??= closeWindow({ ...this.#options, gone: this.#end.promise, onLate: this.#onLate });
    await this.#closing;
  }

  /** The window is gone. */
  dropped(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#raising.cancel();
    this.#cancelAgain();
    this.#touched(false);
    this.#gate.clear();
    this.#end.resolve();
    this.#options.onGone();
  }

  #judgeNavigation(paused: RequestPaused): void {
    const { requestId, frameId, request } = paused;
    const { url } = request;
    const isFrame = frameId !== this.targetId && URL.canParse(url);
    if (this.#isOwn(url) || (isEmpty(url) && !this.#hasBegun))
      this.#do('Fetch.continueRequest', { requestId });
    else if (isFrame && this.page.mayFrame?.(new URL(url))) this.#options.logins.pass(this.sessionId, paused);
    else {
      this.#options.log.warn({ page: this.page.name }, 'kiosk: navigation refused');
      this.#do('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  /** Addresses such as about:blank cause no request, so they are noticed only on arrival. */
  #judgeArrival(frame: { url: string; unreachableUrl?: string }): void {
    if (frame.unreachableUrl === undefined && this.#isOwn(frame.url)) {
      this.#hasBegun = this.#isThere = true;
      this.#begun.resolve();
    } else if (this.#hasBegun || !isEmpty(frame.url)) this.#leave('it is not where it should be');
  }

  #isOwn(url: string): boolean {
    return URL.canParse(url) && new URL(url).origin === this.origin;
  }

  async #watchFingers(): Promise<void> {
    const source = heldScript(this.#held);
    await this.#send('Runtime.addBinding', { name: this.#held, executionContextName: WORLD });
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD });
  }

  #touched(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.#onReleased();
  }

  #leave(why: string): void {
    this.#touched(false);
    this.#isThere = false;
    this.#gate.clear();
    this.#options.log.warn({ page: this.page.name, why }, 'kiosk: built-in page is lost');
    if (this.page.visible || !this.#hasBegun) {
      void this.close();
      return;
    }
    this.#options.onLost?.();
    this.#cancelAgain();
    this.#cancelAgain = this.#options.clock.after(this.#backoff.next(), () =>
      this.#load().catch(() => !this.#gone && this.#leave('it does not load')),
    );
  }

  #send<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']) {
    return this.#options.send(method, params, this.sessionId);
  }

  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']): void {
    this.#send(method, params).catch(this.#onLate);
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the window is already closed');
}

/** Reports when the first finger, button or key of a person is on the page, and when none is left. */
function heldScript(binding: string): string {
  return `(() => {
  const report = globalThis[${JSON.stringify(binding)}];
  if (!report || window !== window.top) return;
  const pressed = new Set();
  const press = (what) => { if (pressed.size === 0) report('held'); pressed.add(what); };
  const release = (what) => { if (pressed.delete(what) && pressed.size === 0) report('released'); };
  const on = (type, act) => addEventListener(type, (event) => event.isTrusted && act(event), { capture: true, passive: true });
  on('pointerdown', (event) => press(event.pointerId));
  on('pointerup', (event) => release(event.pointerId));
  on('pointercancel', (event) => release(event.pointerId));
  on('keydown', (event) => press(event.code));
  on('keyup', (event) => release(event.code));
  on('blur', () => { for (const what of [...pressed]) if (typeof what === 'string') release(what); });
})();`;
}

function coveredScript(binding: string): string {
  return `(() => {
  const report = globalThis[${JSON.stringify(binding)}];
  if (!report || window !== window.top) return;
  addEventListener('blur', () => report(''), true);
  document.addEventListener('visibilitychange', () => { if (document.hidden) report(''); });
})();`;
}

/** Whether a window shows this before its page. */
function isEmpty(url: string): boolean {
  return url === 'about:blank' || url === EMPTY_PAGE;
}
