import type { Clock } from '../../platform/clock.ts';
import { isLoopback } from '../../platform/net/addresses.ts';

/**
 * Requests that one address may start per minute, counting unwanted answers that we have to end; also the burst size.
 */
const PER_MINUTE = { invite: 10, other: 60, failure: 5, decline: 10 };
type RequestKind = keyof typeof PER_MINUTE;
const MAX_ADDRESSES = 1_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** Limits the requests of each address, with a table of bounded size. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #isExempt: (address: string) => boolean;
  readonly #buckets = new Map<string, Bucket>();

  /** @param isExempt addresses without a limit: by default programs of this machine */
  constructor(clock: Clock, isExempt: (address: string) => boolean = isLoopback) {
    this.#clock = clock;
    this.#isExempt = isExempt;
  }

  /** Counts one request. @returns false if it exceeds the limit */
  take(address: string, kind: RequestKind): boolean {
    if (this.#isExempt(address)) return true;
    const bucket = this.#bucket(address, kind);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  /** Whether one more would pass, without counting it. */
  has(address: string, kind: RequestKind): boolean {
    return this.#isExempt(address) || this.#bucket(address, kind).tokens >= 1;
  }

  /** Number of addresses remembered, for leak checks. */
  get size(): number {
    return this.#buckets.size;
  }

  #bucket(address: string, kind: RequestKind): Bucket {
    const key = `${kind} ${address}`;
    const now = this.#clock.now();
    const limit = PER_MINUTE[kind];
    const bucket = this.#buckets.get(key) ?? { tokens: limit, at: now };
    bucket.tokens = Math.min(limit, bucket.tokens + ((now - bucket.at) / 60_000) * limit);
    bucket.at = now;
    // Removes the address that was quiet for longest.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
