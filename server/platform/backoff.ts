import type { Clock } from './clock.ts';

export interface BackoffSteps {
  /** First delay in milliseconds; each further one doubles. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** When this much time passes without a failure after a delay, the next delay is the first one again. */
  readonly peaceMs: number;
}

/** A pause that doubles with each failure. @param failures so far: 0 gives the first pause */
export function doubled(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 20));
}

/** Growing delays between attempts, so that something that fails at once every time does not overload the panel. */
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
    const delay = doubled(this.#attempt++, firstMs, maxMs);
    this.#due = now + delay;
    return delay;
  }
}
