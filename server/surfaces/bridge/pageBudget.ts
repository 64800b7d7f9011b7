/** How many calls a page may make at once after a pause, and per second in the long run. */
const BURST = 5_000;
const PER_SECOND = 1_000;
/** How many calls of one page may wait for their answer. */
const RUNNING = 2_000;

/**
 * Limits what one document may ask of the panel: a page that floods the bridge gets an error, and others are not
 * delayed.
 */
export class PageBudget {
  readonly #now: () => number;
  #left = BURST;
  #filledAt: number;

  /** @param now milliseconds; only differences count. */
  constructor(now: () => number) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** @returns whether one more message is within the limits while `running` calls wait. */
  allows(running: number): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAt) / 1_000) * PER_SECOND);
    this.#filledAt = now;
    if (this.#left < 1 || running >= RUNNING) return false;
    this.#left--;
    return true;
  }
}
