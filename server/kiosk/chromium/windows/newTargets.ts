import type { CdpSend, TargetInfo } from '../process/cdpProtocol.ts';

/** A window, tab or frame that the browser has attached us to. */
export interface AttachedTarget {
  readonly sessionId: string;
  readonly targetInfo: TargetInfo;
}

interface NewTargetsOptions {
  readonly send: CdpSend;
  /** A window that arrived while we opened one of ours, but is not ours. */
  readonly onForeign: (window: AttachedTarget) => void;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/** Opens our own windows and tabs, and distinguishes them from windows that a page opens meanwhile. */
export class NewTargets {
  readonly #options: NewTargetsOptions;
  /** They are opened one at a time. */
  #opening: Promise<unknown> = Promise.resolve();
  /** Windows that arrived while we opened one of ours; only the answer shows which one is ours. */
  #undecided: AttachedTarget[] | undefined;

  constructor(options: NewTargetsOptions) {
    this.#options = options;
  }

  /** Takes a paused window that arrived while we open one of ours. @returns false when we open none */
  holds(window: AttachedTarget): boolean {
    this.#undecided?.push(window);
    return this.#undecided !== undefined;
  }

  /** Opens a window, or a tab in the top window, that no guard closes. @throws Error when the browser fails to */
  open(url: string, inWindow: boolean): Promise<{ sessionId: string; targetId: string }> {
    const opened = this.#opening.then(() => this.#create(url, inWindow));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /**
   * Opens a tab behind the kiosk page. The browser puts it into the top window. In any window but the kiosk's, the tab
   * would stay visible when the page of that window closes.
   * @throws Error when it would open there
   */
  async openBehind(kioskTarget: string | undefined): Promise<{ sessionId: string; targetId: string }> {
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

  async #create(url: string, inWindow: boolean): Promise<{ sessionId: string; targetId: string }> {
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
