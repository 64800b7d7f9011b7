import type { Clock } from '../clock.ts';

/** How often a window may be raised above one that raised itself, in milliseconds. */
const RAISE_EVERY_MS = 200;

/** Paces a window that others cover: a page can raise its own window, and two must not fight faster than this. */
export class RaiseLimit {
  readonly #clock: Clock;
  readonly #raise: () => void;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** @param raise puts the window on top, and says so by `raised` */
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
