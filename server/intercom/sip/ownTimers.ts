import type { Clock } from '../../platform/clock.ts';

/** A clock whose timers can all be cancelled at once, so that a stopped agent leaves none running. */
export class OwnTimers implements Clock {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(milliseconds: number, run: () => void): () => void {
    const cancel = this.#clock.after(milliseconds, () => {
      this.#cancels.delete(cancelOnce);
      run();
    });
    const cancelOnce = (): void => {
      this.#cancels.delete(cancelOnce);
      cancel();
    };
    this.#cancels.add(cancelOnce);
    return cancelOnce;
  }

  cancelAll(): void {
    for (const cancel of [...this.#cancels]) cancel();
  }
}
