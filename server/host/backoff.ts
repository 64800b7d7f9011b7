import type { Clock } from './clock.ts';

export interface BackoffSteps {
  /** First delay in milliseconds; each further one doubles. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Peace of this length, after a delay has run out, starts again at the first. */
  readonly peaceMs: number;
}

/** Growing delays between attempts, so that something that fails at once every time does not burn the panel. */
export class Backoff {
  readonly #clock: Clock;
  readonly #steps: BackoffSteps;
  #attempt = 0;
  #due = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, steps: BackoffSteps) {
    this.#clock = clock;
    this.#steps = steps;
  }

  /** @returns milliseconds to wait before the next attempt. */
  next(): number {
    const { firstMs, maxMs, peaceMs } = this.#steps;
    const now = this.#clock.now();
    if (now - this.#due > peaceMs) this.#attempt = 0;
    const delay = Math.min(maxMs, firstMs * 2 ** Math.min(this.#attempt++, 20));
    this.#due = now + delay;
    return delay;
  }
}
