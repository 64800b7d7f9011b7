import { networkOf } from './addresses.ts';
import type { Clock } from './clock.ts';

/** What is written within a minute because of one address (IPv6: one /64), and because of all of them. */
export const STRANGER_LINES = { ofAddress: 10, ofAll: 30 } as const;
const MINUTE_MS = 60_000;

/**
 * How much strangers may have written down: callers who do not hold the scope of what they ask for, and those of whom
 * nothing is known. What is beyond it is only counted. The minute begins with the first of them.
 */
export class StrangerBudget {
  readonly #clock: Clock;
  readonly #onEnd: (dropped: number) => void;
  readonly #byAddress = new Map<string, number>();
  #taken = 0;
  #dropped = 0;
  #cancel: (() => void) | undefined;

  /** @param onEnd told at the end of each minute with a stranger in it; how many were beyond the budget */
  constructor(clock: Clock, onEnd: (dropped: number) => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Whether one more may be written. @param from an address; of other kinds of callers any text that names them */
  take(from: string): boolean {
    this.#cancel ??= this.#clock.after(MINUTE_MS, () => this.end());
    const address = networkOf(from);
    const taken = this.#byAddress.get(address) ?? 0;
    if (this.#taken >= STRANGER_LINES.ofAll || taken >= STRANGER_LINES.ofAddress) {
      this.#dropped++;
      return false;
    }
    this.#taken++;
    this.#byAddress.set(address, taken + 1);
    return true;
  }

  /** Ends the minute now. */
  end(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    const dropped = this.#dropped;
    this.#byAddress.clear();
    this.#taken = 0;
    this.#dropped = 0;
    this.#onEnd(dropped);
  }
}
