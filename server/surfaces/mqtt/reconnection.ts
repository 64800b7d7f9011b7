import { doubled } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';

const FIRST_MS = 1_000;
const MOST_MS = 30_000;
/** A connection that holds so long is a good one, in milliseconds. */
const GOOD_AFTER_MS = 60_000;
/** So many connections, none of them good, mean that another client has the same id: each takes over from the other. */
const CUT_OFFS = 3;

/** When to try again, and whether somebody else takes the connection away. */
export class Reconnection {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onGood: () => void;
  #failures = 0;
  #cutOffs = 0;
  /** Set while a connection has not held a minute. */
  #cancelGood: (() => void) | undefined;

  /** @param random 0 to 1, for the jitter @param onGood a connection has held a minute */
  constructor(clock: Clock, random: () => number, onGood: () => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onGood = onGood;
  }

  /** Whether connections were cut off three times, each within a minute. */
  get isCutOff(): boolean {
    return this.#cutOffs >= CUT_OFFS;
  }

  connected(): void {
    this.#cancelGood = this.#clock.after(GOOD_AFTER_MS, () => {
      this.#cancelGood = undefined;
      this.#failures = 0;
      this.#cutOffs = 0;
      this.#onGood();
    });
  }

  /** The connection has ended, for whatever reason. @param isTakenOver the broker says so itself */
  lost(isTakenOver: boolean): void {
    if (this.#cancelGood !== undefined) this.#cutOffs++;
    if (isTakenOver) this.#cutOffs = Math.max(this.#cutOffs, CUT_OFFS);
    this.stop();
  }

  /** @returns milliseconds to the next try: 1 to 30 s, doubling, never twice the same */
  pause(): number {
    return doubled(this.#failures++, FIRST_MS, MOST_MS / 2) * (1 + this.#random());
  }

  stop(): void {
    this.#cancelGood?.();
    this.#cancelGood = undefined;
  }
}
