import type { Clock } from '../../../platform/clock.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';

/** How long console entries of a page may be kept, in milliseconds. */
const KEPT_MS = 500;

/**
 * Discards what pages write to their console. While a client listens to the console, the browser keeps the last 1,000
 * entries with every object in them, for as long as the document lives (measured, Chromium 156).
 */
export class ConsoleEntries {
  readonly #send: CdpSend;
  readonly #clock: Clock;
  readonly #onLate: (error: Error) => void;
  /** Sessions whose entries will be discarded soon. */
  readonly #due = new Map<string, () => void>();

  /** @param onLate a command failed because its target is already gone */
  constructor(send: CdpSend, clock: Clock, onLate: (error: Error) => void) {
    this.#send = send;
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Makes entries cheap by leaving out their stacks, which nothing reads. Call it once Runtime is enabled. */
  watch(sessionId: string): void {
    this.#send('Runtime.setMaxCallStackSizeToCapture', { size: 0 }, sessionId).catch(this.#onLate);
  }

  /** Takes the events of all targets. */
  handle({ method, sessionId }: CdpEvent): void {
    if (method !== 'Runtime.consoleAPICalled' && method !== 'Runtime.exceptionThrown') return;
    if (sessionId === undefined || this.#due.has(sessionId)) return;
    const discard = () => {
      this.#due.delete(sessionId);
      this.#send('Runtime.discardConsoleEntries', {}, sessionId).catch(this.#onLate);
    };
    this.#due.set(sessionId, this.#clock.after(KEPT_MS, discard));
  }

  /** A target is gone; without a session, all of them. */
  forget(sessionId?: string): void {
    for (const [session, cancel] of this.#due) {
      if (sessionId !== undefined && sessionId !== session) continue;
      cancel();
      this.#due.delete(session);
    }
  }
}
