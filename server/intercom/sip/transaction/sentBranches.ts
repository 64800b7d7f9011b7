import type { Clock } from '../../../platform/clock.ts';
import { GIVE_UP_MS } from './timers.ts';

const MAX_BRANCHES = 500;

/**
 * Branches of our INVITEs whose transaction is over. A late answer may still come for 32 s (RFC 3261 sections 13.2.2.4
 * and 17.1.1.2, timer B); strangers do not know these random values.
 */
export class SentBranches {
  readonly #clock: Clock;
  /** When each is forgotten, earliest first. */
  readonly #forgetAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(branch: string): void {
    this.#forgetAt.delete(branch);
    this.#forgetAt.set(branch, this.#clock.now() + GIVE_UP_MS);
    for (const [oldest, at] of this.#forgetAt) {
      if (at > this.#clock.now() && this.#forgetAt.size <= MAX_BRANCHES) break;
      this.#forgetAt.delete(oldest);
    }
  }

  has(branch: string): boolean {
    return (this.#forgetAt.get(branch) ?? Number.NEGATIVE_INFINITY) > this.#clock.now();
  }

  clear(): void {
    this.#forgetAt.clear();
  }
}
