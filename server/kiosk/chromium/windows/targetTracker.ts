import type { Clock } from '../../../platform/clock.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import type { CdpSend, TargetInfo } from '../process/cdpProtocol.ts';

/** A window, tab or frame that the browser has attached us to. */
export interface AttachedTarget {
  readonly sessionId: string;
  readonly targetInfo: TargetInfo;
}

/** A window of ours. */
export interface OpenedWindow {
  readonly sessionId: string;
  readonly targetId: string;
}

interface TargetTrackerOptions {
  readonly send: CdpSend;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
  /** A window that arrived while we opened one of ours, but is not ours. */
  readonly onForeign: (window: AttachedTarget) => void;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/** Size of a bare window until it gets its place; the browser allows no smaller one. */
const BARE = 'popup,noopener,left=0,top=0,width=300,height=200';

/** Opens our own windows and tabs, and distinguishes them from windows that a page opens meanwhile. */
export class TargetTracker {
  readonly #options: TargetTrackerOptions;
  /** They are opened one at a time. */
  #opening: Promise<unknown> = Promise.resolve();
  /** Windows that arrived while we opened one of ours; only the answer shows which one is ours. */
  #undecided: AttachedTarget[] | undefined;
  /** The bare window that we open. */
  #bare: { readonly opener: string; arrived(window: AttachedTarget): void } | undefined;

  constructor(options: TargetTrackerOptions) {
    this.#options = options;
  }

  /**
   * Opens a bare window from the page of a session. Only pages of ours do this: the window knows nothing of it.
   * @throws Error when the browser fails to
   */
  openBare(opener: OpenedWindow, url = 'about:blank'): Promise<OpenedWindow> {
    const opened = this.#opening.then(() => this.#createBare(opener, url));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /** Takes a paused window that arrived while we open one of ours. @returns false when we open none */
  holds(window: AttachedTarget): boolean {
    if (this.#bare !== undefined && window.targetInfo.openerId === this.#bare.opener) {
      this.#bare.arrived(window);
      return true;
    }
    this.#undecided?.push(window);
    return this.#undecided !== undefined;
  }

  /** Opens a window, or a tab in the top window, that no guard closes. @throws Error when the browser fails to */
  open(url: string, inWindow: boolean): Promise<OpenedWindow> {
    const opened = this.#opening.then(() => this.#create(url, inWindow));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /**
   * Opens a tab behind the kiosk page. The browser puts it into the top window. In any window but the kiosk's, the tab
   * would stay visible when the page of that window closes.
   * @throws Error when it would open there
   */
  async openBehind(kioskTarget: string | undefined): Promise<OpenedWindow> {
    const { send, onLate } = this.#options;
    const target = await this.open('about:blank', false);
    try {
      const kiosk = kioskTarget && (await this.#windowOf(kioskTarget));
      if (kiosk === (await this.#windowOf(target.targetId))) return target;
      throw new Error('Another window is on top.');
    } catch (error) {
      send('Target.closeTarget', { targetId: target.targetId }).catch(onLate);
      throw error;
    }
  }

  async #windowOf(targetId: string): Promise<number> {
    return (await this.#options.send('Browser.getWindowForTarget', { targetId })).windowId;
  }

  async #createBare({ sessionId, targetId }: OpenedWindow, url: string): Promise<OpenedWindow> {
    const { send, clock, limits } = this.#options;
    const arrived = Promise.withResolvers<AttachedTarget>();
    // On a slow panel the limit may end before the questions are answered, while no caller waits for the window yet.
    arrived.promise.catch(() => {});
    this.#bare = { opener: targetId, arrived: arrived.resolve };
    const began = clock.now();
    const cancel = clock.after(limits.bareWindow.ms, () => {
      limits.bareWindow.missed();
      arrived.reject(new Error('The browser opened no window.'));
    });
    try {
      const expression = `void open(${JSON.stringify(url)}, '_blank', '${BARE}')`;
      // The guard of the kiosk page keeps its own world from opening windows.
      const world = await send('Page.createIsolatedWorld', { frameId: targetId }, sessionId);
      const question = { expression, contextId: world.executionContextId, userGesture: true, silent: true };
      await send('Runtime.evaluate', question, sessionId);
      const window = await arrived.promise;
      limits.bareWindow.met(clock.now() - began);
      return { sessionId: window.sessionId, targetId: window.targetInfo.targetId };
    } finally {
      cancel();
      this.#bare = undefined;
    }
  }

  async #create(url: string, inWindow: boolean): Promise<OpenedWindow> {
    const windows: AttachedTarget[] = [];
    this.#undecided = windows;
    let targetId: string | undefined;
    try {
      ({ targetId } = await this.#options.send('Target.createTarget', {
        url,
        ...(inWindow ? { newWindow: true, windowState: 'fullscreen' } : { background: true }),
      }));
    } finally {
      this.#undecided = undefined;
      for (const window of windows)
        if (window.targetInfo.targetId !== targetId) this.#options.onForeign(window);
    }
    const own = windows.find((window) => window.targetInfo.targetId === targetId);
    if (own === undefined) throw new Error('The browser opened no window.');
    return { sessionId: own.sessionId, targetId: own.targetInfo.targetId };
  }
}

/** How long a window that requests nothing stays, in milliseconds. */
const IDLE_MS = 200;

/**
 * Closes windows that are not the kiosk's. Such a window arrives paused, and it pauses the thread of the page that
 * opened it. The order matters (measured, Chromium 156): if the window is closed before it is resumed, its session ends
 * with it, nothing can resume it any more, and the opener hangs for ever; if it is closed while it requests its page,
 * that request is sent after all. So: resume it with every request paused, fail its request, then close it.
 */
export class PopupGuard {
  readonly #send: CdpSend;
  readonly #clock: Clock;
  readonly #onFailure: (error: Error) => void;
  readonly #targets = new Map<string, string>();

  /** @param onFailure gets the errors of commands that came too late, because the window is gone. */
  constructor(send: CdpSend, clock: Clock, onFailure: (error: Error) => void) {
    this.#send = send;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** A window has opened. */
  shut(sessionId: string, targetId: string): void {
    this.#targets.set(sessionId, targetId);
    this.#send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId).catch(this.#onFailure);
    this.#send('Runtime.runIfWaitingForDebugger', {}, sessionId)
      .then(() => this.#clock.after(IDLE_MS, () => this.#close(sessionId)))
      .catch(this.#onFailure);
  }

  /** A window sends a request. */
  refuse(sessionId: string, requestId: string): void {
    this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId)
      .then(() => this.#close(sessionId))
      .catch(this.#onFailure);
  }

  #close(sessionId: string): void {
    const targetId = this.#targets.get(sessionId);
    if (targetId === undefined) return;
    this.#targets.delete(sessionId);
    this.#send('Target.closeTarget', { targetId }).catch(this.#onFailure);
  }
}
