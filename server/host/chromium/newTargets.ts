import type { CdpSend, TargetInfo } from './cdpProtocol.ts';

/** A window, tab or frame that the browser has attached us to. */
export interface AttachedTarget {
  readonly sessionId: string;
  readonly targetInfo: TargetInfo;
}

interface NewTargetsOptions {
  readonly send: CdpSend;
  /** A window that came while one of ours was awaited and turned out to be none of ours. */
  readonly onForeign: (window: AttachedTarget) => void;
  /** A command failed because its target is gone already. */
  readonly onLate: (error: Error) => void;
}

/** Opens windows and tabs of our own, and tells them from those that a page opens meanwhile. */
export class NewTargets {
  readonly #options: NewTargetsOptions;
  /** They are opened one at a time. */
  #opening: Promise<unknown> = Promise.resolve();
  /** Windows that came while one of our own is awaited: which it is shows in the answer only. */
  #undecided: AttachedTarget[] | undefined;

  constructor(options: NewTargetsOptions) {
    this.#options = options;
  }

  /** Takes a window that has come, paused, while one of ours is awaited. @returns false where none is */
  holds(window: AttachedTarget): boolean {
    this.#undecided?.push(window);
    return this.#undecided !== undefined;
  }

  /** Opens a window, or a tab in the window on top, that no guard shuts. @throws Error when the browser does not */
  open(url: string, inWindow: boolean): Promise<{ sessionId: string; targetId: string }> {
    const opened = this.#opening.then(() => this.#create(url, inWindow));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /**
   * Opens a tab behind the kiosk page. The browser puts it into the window on top; in any other than the kiosk's it would
   * be left in sight, alone, when the page of that window goes.
   * @throws Error when it would be there
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
