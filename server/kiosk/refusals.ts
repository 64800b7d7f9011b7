import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';

/** Lines in one minute: a page can repeat a refused request as often as it likes. */
const LINES = 30;
const PER_MS = 60_000;

/** Logs what the page and a person at the glass are refused: one line for each, with a limited rate. */
export class Refusals {
  readonly #clock: Clock;
  readonly #log: Logger;
  #minuteBegan = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @param what one sentence without secrets @param details such as the origin that was requested */
  tell(what: string, details: Readonly<Record<string, unknown>> = {}): void {
    const now = this.#clock.now();
    if (now - this.#minuteBegan >= PER_MS) {
      if (this.#lines > LINES)
        this.#log.warn({ dropped: this.#lines - LINES }, 'more refusals than the log may show');
      this.#minuteBegan = now;
      this.#lines = 0;
    }
    if (++this.#lines <= LINES) this.#log.warn(details, what);
  }
}
