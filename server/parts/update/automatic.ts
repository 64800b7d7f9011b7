import type { WallClock } from '../../platform/clock.ts';
import { followSystemTimeZone } from '../../platform/localTime.ts';
import { type Window, windowAt } from './window.ts';

const LOOK_MS = 30_000;
/** Until a version that could not be taken is tried again, in milliseconds. */
const AGAIN_MS = 10 * 60_000;

interface AutomaticOptions {
  /** `update.window`; empty: never. */
  readonly window: () => string;
  /** Whether there is a version to take, and nobody whom that disturbs. */
  mayTake(): Promise<boolean>;
  take(): Promise<unknown>;
  readonly clock: WallClock;
  readonly random: () => number;
}

/** Takes what is available by itself: at a random moment of the window's first half, and later at once. */
export class Automatic {
  readonly #options: AutomaticOptions;
  #window: Window | undefined;
  #moment = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(options: AutomaticOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { window: text, clock } = this.#options;
    // A tick rather than one long timer: the time of day may be set meanwhile.
    this.#cancel = clock.after(LOOK_MS, () => this.#look());
    followSystemTimeZone();
    const window = text();
    if (window === '') return;
    const now = clock.wall();
    const current = windowAt(window, now);
    if (now < current.from) return;
    if (current.from !== this.#window?.from || current.to !== this.#window.to) this.#begin(current);
    if (now < this.#moment || clock.now() < this.#notBefore) return;
    void this.#takeIfMay();
  }

  async #takeIfMay(): Promise<void> {
    const { clock, mayTake, take } = this.#options;
    if (!(await mayTake().catch(() => false))) return;
    this.#notBefore = clock.now() + AGAIN_MS;
    // It logs by itself why it failed.
    await take().catch(() => {});
  }

  #begin(window: Window): void {
    this.#window = window;
    this.#moment = window.from + (this.#options.random() * (window.to - window.from)) / 2;
  }
}
