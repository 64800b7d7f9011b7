import type { Clock } from '../../platform/clock.ts';
import type { OutputRules } from './driver.ts';

/** How long until a pin that could not be switched off is tried again, in milliseconds. */
const AGAIN_MS = 1_000;

interface OnLimitsOptions {
  readonly maxOnMs: OutputRules['maxOnMs'];
  readonly clock: Clock;
  /** The longest time of this pin is over. */
  readonly due: (pin: number) => void;
}

/**
 * How long pins have been 1. The time runs from the first moment at which a pin may be 1 to the moment at which it is
 * known to be 0: to write 1 once more does not make it longer.
 */
export class OnLimits {
  readonly #options: OnLimitsOptions;
  readonly #running = new Map<number, { readonly endsAt: number; cancel: () => void }>();

  constructor(options: OnLimitsOptions) {
    this.#options = options;
  }

  /** The pin has this level, or may have it from now on. */
  is(pin: number, level: 0 | 1): void {
    const { maxOnMs, clock } = this.#options;
    const limit = maxOnMs[pin];
    if (limit === undefined) return;
    if (level === 1) {
      if (this.#running.has(pin)) return;
      this.#running.set(pin, { endsAt: clock.now() + limit, cancel: this.#dueAfter(pin, limit) });
      return;
    }
    this.#running.get(pin)?.cancel();
    this.#running.delete(pin);
  }

  /** Whether the longest time of this pin is over. */
  isOver(pin: number): boolean {
    return this.left(pin) <= 0;
  }

  /** For how many milliseconds this pin may be 1 from now on; Infinity without a rule. */
  left(pin: number): number {
    const { maxOnMs, clock } = this.#options;
    const running = this.#running.get(pin);
    if (running === undefined) return maxOnMs[pin] ?? Number.POSITIVE_INFINITY;
    return running.endsAt - clock.now();
  }

  /** The pin could not be switched off: `due` once more, in a second. */
  again(pin: number): void {
    const running = this.#running.get(pin);
    if (running !== undefined) running.cancel = this.#dueAfter(pin, AGAIN_MS);
  }

  stop(): void {
    for (const { cancel } of this.#running.values()) cancel();
    this.#running.clear();
  }

  #dueAfter(pin: number, ms: number): () => void {
    return this.#options.clock.after(Math.ceil(ms), () => {
      // A timer may come a fraction of a millisecond early.
      const left = this.left(pin);
      const running = this.#running.get(pin);
      if (left > 0 && running !== undefined) running.cancel = this.#dueAfter(pin, left);
      else this.#options.due(pin);
    });
  }
}
