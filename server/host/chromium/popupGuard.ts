import type { Clock } from '../clock.ts';
import type { CdpSend } from './cdpProtocol.ts';

/** How long a window that asks for nothing stays, in milliseconds. */
const IDLE_MS = 200;

/**
 * Shuts windows that are not the kiosk's. Such a window arrives paused, and with it the thread of the page that opened
 * it. The order matters (measured, Chromium 156): closed before it is let go, it takes its session along, nothing can
 * let it go any more, and the opener hangs for ever; closed while it asks for its page, that request goes out after all.
 * So: let it go with every request held, fail what it asks for, then close it.
 */
export class PopupGuard {
  readonly #send: CdpSend;
  readonly #clock: Clock;
  readonly #onFailure: (error: Error) => void;
  readonly #targets = new Map<string, string>();

  /** @param onFailure hears of commands that came too late, because the window is gone. */
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

  /** A window asks for something. */
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
