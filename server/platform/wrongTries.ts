import { networkOf } from './addresses.ts';

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/**
 * Counts what an address guesses wrong: after so many within a minute, the address has to wait for a minute. All of an
 * IPv6 /64 count as one. At most 10,000 addresses are remembered, those that guessed last.
 */
export class WrongTries {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #byAddress = new Map<string, { times: number[]; blockedUntil: number }>();

  /** @param now milliseconds, monotonic */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whether the address has to wait. */
  isBlocked(address: string): boolean {
    return this.#now() < (this.#byAddress.get(networkOf(address))?.blockedUntil ?? 0);
  }

  /** Records a wrong try. @returns true when the address has to wait already, so that the try does not count */
  note(from: string): boolean {
    const address = networkOf(from);
    const now = this.#now();
    const entry = this.#byAddress.get(address) ?? { times: [], blockedUntil: 0 };
    if (now < entry.blockedUntil) return true;
    entry.times = entry.times.filter((time) => now - time < WINDOW_MS);
    entry.times.push(now);
    if (entry.times.length >= this.#limit) {
      entry.blockedUntil = now + WINDOW_MS;
      entry.times = [];
    }
    // Inserted again, so that the map's order is oldest first and the limit drops the addresses quiet for longest.
    this.#byAddress.delete(address);
    this.#byAddress.set(address, entry);
    if (this.#byAddress.size > MAX_ADDRESSES) {
      for (const oldest of this.#byAddress.keys()) {
        this.#byAddress.delete(oldest);
        break;
      }
    }
    return false;
  }
}
