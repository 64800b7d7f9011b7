import type { Clock } from '../../../platform/clock.ts';

/** The shortest time between two raises above a window that raised itself, in milliseconds. */
const RAISE_EVERY_MS = 200;

/**
 * Limits how often a covered window is raised: a page can raise its own window, and two windows must not fight faster
 * than this.
 */
export class RaiseLimit {
  readonly #clock: Clock;
  readonly #raise: () => void;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** @param raise puts the window on top, and reports it by `raised` */
  constructor(clock: Clock, raise: () => void) {
    this.#clock = clock;
    this.#raise = raise;
  }

  /** The window is raised now. */
  raised(): void {
    this.#raisedAt = this.#clock.now();
  }

  /** The window is covered: raises it as soon as it may. */
  soon(): void {
    if (this.#cancel !== undefined) return;
    const wait = Math.max(0, this.#raisedAt + RAISE_EVERY_MS - this.#clock.now());
    this.#cancel = this.#clock.after(wait, () => {
      this.#cancel = undefined;
      this.#raise();
    });
  }

  /** The window is gone. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
