import type { Clock } from '../../../platform/clock.ts';

/**
 * One ping of each sender is answered per this time, in milliseconds; RFC 5626 section 4.4.2 asks for 24 s between two.
 */
export const PING_MS = 1_000;
const MAX_PLACES = 1_000;

/**
 * Decides which keepalive pings over UDP are answered: one per second for each sender, with a table of bounded size.
 */
export class PingLimit {
  readonly #clock: Clock;
  readonly #answeredAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one ping. @returns whether it is answered */
  take(host: string, port: number): boolean {
    const place = `${host} ${port}`;
    const now = this.#clock.now();
    if (now - (this.#answeredAt.get(place) ?? Number.NEGATIVE_INFINITY) < PING_MS) return false;
    // Removes the sender that was answered longest ago.
    this.#answeredAt.delete(place);
    this.#answeredAt.set(place, now);
    if (this.#answeredAt.size > MAX_PLACES) this.#answeredAt.delete(this.#answeredAt.keys().next().value!);
    return true;
  }
}
