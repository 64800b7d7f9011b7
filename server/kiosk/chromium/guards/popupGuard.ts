import type { Clock } from '../../../platform/clock.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';

/** How long a window that requests nothing stays, in milliseconds. */
const IDLE_MS = 200;

/**
 * Closes windows that are not the kiosk's. Such a window arrives paused, and it pauses the thread of the page that
 * opened it. The order matters (measured, Chromium 156): if the window is closed before it is resumed, its session ends
 * with it, nothing can resume it any more, and the opener hangs for ever; if it is closed while it requests its page,
 * that request is sent after all. So: resume it with every request held, fail its request, then close it.
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
