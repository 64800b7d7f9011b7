import { backgroundClock, type Clock } from './clock.ts';
import type { Logger, LogLine } from './log.ts';
import { networkOf } from './net/addresses.ts';

interface RateLimitOptions {
  readonly clock: Clock;
  /** How many pass in one window. */
  readonly limit: number;
  /** Length of a window, in milliseconds; the first one begins with the first that is counted. */
  readonly windowMs: number;
  /** Called at the end of a window with the number that did not pass. */
  onDropped?(dropped: number): void;
}

/** Lets a number of things pass in each window of time, and counts the others. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;
  #dropped = 0;
  #cancel: (() => void) | undefined;

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Counts one. @returns whether it passes */
  take(): boolean {
    const now = this.#begin();
    if (++this.#count <= this.#options.limit) return true;
    this.#drop(1, now);
    return false;
  }

  /** Counts some that were dropped elsewhere. */
  drop(dropped: number): void {
    this.#drop(dropped, this.#begin());
  }

  /** Begins a window where none is open. @returns now */
  #begin(): number {
    const { clock, windowMs } = this.#options;
    const now = clock.now();
    if (now - this.#began >= windowMs) {
      this.#tell();
      this.#began = now;
      this.#count = 0;
    }
    return now;
  }

  #drop(dropped: number, now: number): void {
    const { clock, windowMs, onDropped } = this.#options;
    if (onDropped === undefined) return;
    this.#dropped += dropped;
    this.#cancel ??= clock.after(this.#began + windowMs - now, () => this.#tell());
  }

  /** Drops what was not reported yet. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dropped = 0;
  }

  #tell(): void {
    if (this.#cancel === undefined) return;
    const dropped = this.#dropped;
    this.stop();
    this.#options.onDropped?.(dropped);
    this.#began = Number.NEGATIVE_INFINITY;
  }
}

const MINUTE_MS = 60_000;
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
    entry.times = entry.times.filter((time) => now - time < MINUTE_MS);
    entry.times.push(now);
    if (entry.times.length >= this.#limit) {
      entry.blockedUntil = now + MINUTE_MS;
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

/** What is written within a minute because of one address (IPv6: one /64), and because of all of them. */
export const STRANGER_LINES = { ofAddress: 10, ofAll: 30 } as const;

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

  /** @param onEnd called at the end of each minute with a stranger in it; gets how many exceeded the budget */
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

/** The log for what strangers cause: a flood of it writes a bounded number of lines, and one that counts the others. */
export class StrangersLog {
  readonly #log: Logger;
  readonly #budget: StrangerBudget;

  constructor(log: Logger, clock: Clock = backgroundClock) {
    this.#log = log;
    this.#budget = new StrangerBudget(clock, (dropped) => {
      if (dropped > 0) log.info({ dropped }, 'commands: too many refusals, some not logged');
    });
  }

  /** @param from the address of the caller, or what else names it */
  info(from: string, details: object, line: LogLine): void {
    if (this.#budget.take(from)) this.#log.info(details, line);
  }

  /** Says what was only counted until now. */
  stop(): void {
    this.#budget.end();
  }
}
