import type { Logger } from '../../platform/log.ts';
import { MAX_PHOTO_BYTES, type Photo, type PhotoSource, shownKind } from './photo.ts';

export interface PhotoAddressesOptions {
  readonly addresses: readonly string[];
  /** @throws Error when it cannot be fetched within these bounds */
  readonly fetch: (
    address: string,
    limits: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
  ) => Promise<{ bytes: Buffer }>;
  readonly log: Logger;
}

/** Until the last byte of one picture. */
const FETCH_MS = 10_000;
/** So many addresses are asked for one picture. */
const MAX_TRIES = 3;
/** Of pictures that were fetched, in bytes: they are shown while their server does not answer. */
const KEPT_BYTES = 32_000_000;

interface Kept {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Pictures at addresses. Each is fetched when its turn comes, so that an address may have another picture each time;
 * while it cannot be loaded, the last one from there replaces it.
 */
export class PhotoAddresses implements PhotoSource {
  readonly #options: PhotoAddressesOptions;
  /** The one that was shown last is the last. */
  readonly #kept = new Map<string, Kept>();
  readonly #failing = new Set<string>();
  #end = new AbortController();
  #next = 0;

  constructor(options: PhotoAddressesOptions) {
    this.#options = options;
  }

  /** Addresses do not change by themselves. */
  async start(): Promise<void> {
    this.#end = new AbortController();
  }

  get count(): number {
    return this.#options.addresses.length;
  }

  async next(): Promise<Photo | undefined> {
    const { signal } = this.#end;
    for (let tried = 0; tried < Math.min(this.count, MAX_TRIES) && !signal.aborted; tried++) {
      const address = this.#options.addresses[this.#next % this.count]!;
      this.#next = (this.#next + 1) % this.count;
      const found = (await this.#fetch(address, signal)) ?? this.#kept.get(address);
      if (found !== undefined) return { type: found.type, length: found.bytes.length, body: found.bytes };
    }
    return undefined;
  }

  stop(): void {
    this.#end.abort();
    this.#kept.clear();
  }

  async #fetch(address: string, signal: AbortSignal): Promise<Kept | undefined> {
    const limits = { maxBytes: MAX_PHOTO_BYTES, timeoutMs: FETCH_MS, signal };
    try {
      const { bytes } = await this.#options.fetch(address, limits);
      const kind = await shownKind(async (at, length) => bytes.subarray(at, at + length), bytes.length);
      if (kind === undefined) throw new Error('It is no picture that a browser shows, or it is too large.');
      this.#failing.delete(address);
      const kept = { type: kind.type, bytes };
      if (!signal.aborted) this.#keep(address, kept);
      return kept;
    } catch (error) {
      if (!this.#failing.has(address) && !signal.aborted)
        this.#options.log.warn({ err: error, host: hostOf(address) }, 'saver: could not fetch a photo');
      this.#failing.add(address);
      return undefined;
    }
  }

  #keep(address: string, kept: Kept): void {
    this.#kept.delete(address);
    this.#kept.set(address, kept);
    let sum = [...this.#kept.values()].reduce((total, { bytes }) => total + bytes.length, 0);
    for (const [oldest, { bytes }] of this.#kept) {
      if (sum <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      sum -= bytes.length;
    }
  }
}

/** The rest of an address may hold a secret. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}
