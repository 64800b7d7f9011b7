import type { Clock } from '../../platform/clock.ts';

/** Shortest time between two messages of one topic, in milliseconds: 10 a second. */
const PACE_MS = 100;

/**
 * The newest state of one topic on its way to the broker: one message at a time, at most ten a second, and the last one
 * always.
 */
export class Paced {
  readonly #clock: Clock;
  readonly #send: (text: string) => Promise<void>;
  #wanted: string | undefined;
  /** What the broker has of this connection. */
  #sent: string | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  /** @param send never rejects */
  constructor(clock: Clock, send: (text: string) => Promise<void>) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Sends the text where it differs from the last one. */
  set(text: string): void {
    this.#wanted = text;
    this.#next();
  }

  /** Sends the text in any case, at once. */
  async again(text: string): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#sending;
    this.#wanted = text;
    this.#begin();
    await this.#sending;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#wanted = this.#sent;
  }

  #next(): void {
    if (this.#wanted === this.#sent || this.#sending !== undefined || this.#cancel !== undefined) return;
    const due = this.#sentAt + PACE_MS - this.#clock.now();
    if (due <= 0) this.#begin();
    else
      this.#cancel = this.#clock.after(due, () => {
        this.#cancel = undefined;
        this.#begin();
      });
  }

  #begin(): void {
    const text = this.#wanted;
    if (text === undefined || this.#sending !== undefined) return;
    this.#sent = text;
    this.#sentAt = this.#clock.now();
    this.#sending = this.#send(text).then(() => {
      this.#sending = undefined;
      this.#next();
    });
  }
}
