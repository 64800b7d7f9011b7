import type { Clock } from './clock.ts';

interface RateLimitOptions {
  readonly clock: Clock;
  /** How many pass in one window. */
  readonly limit: number;
  /** Length of a window, in milliseconds; the first one begins with the first that is counted. */
  readonly windowMs: number;
  /** Told at the end of a window how many of it did not pass. */
  onDropped?(dropped: number): void;
}

/** Lets a number of things pass in each window of time, and counts the others. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;
  #cancel: (() => void) | undefined;

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Counts one. @returns whether it passes */
  take(): boolean {
    const { clock, limit, windowMs, onDropped } = this.#options;
    const now = clock.now();
    if (now - this.#began >= windowMs) {
      this.#tell();
      this.#began = now;
      this.#count = 0;
    }
    if (++this.#count <= limit) return true;
    if (onDropped !== undefined)
      this.#cancel ??= clock.after(this.#began + windowMs - now, () => this.#tell());
    return false;
  }

  /** Drops what was not told yet. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #tell(): void {
    if (this.#cancel === undefined) return;
    this.stop();
    this.#options.onDropped?.(this.#count - this.#options.limit);
    this.#began = Number.NEGATIVE_INFINITY;
  }
}
