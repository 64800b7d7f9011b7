import type { Clock } from '../../../platform/clock.ts';
import { routeTo } from '../../../platform/networks.ts';

/** How long an answer of the routing table is valid, in milliseconds. */
const FRESH_MS = 10_000;
const MAX_KEPT = 256;

/** Finds which of our addresses the remote party sees: the one for Via, Contact and SDP. */
export class LocalAddresses {
  readonly #clock: Clock;
  readonly #bound: string;
  readonly #known = new Map<string, { readonly address: string; readonly until: number }>();

  /** @param bound the address that we listen on; for a wildcard address the routing table decides. */
  constructor(bound: string, clock: Clock) {
    this.#bound = bound;
    this.#clock = clock;
  }

  /** @throws Error of the system if there is no route. */
  async towards(host: string): Promise<string> {
    if (this.#bound !== '0.0.0.0' && this.#bound !== '::') return this.#bound;
    const known = this.#known.get(host);
    if (known !== undefined && known.until > this.#clock.now()) return known.address;
    const { local: address } = await routeTo(host);
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(host, { address, until: this.#clock.now() + FRESH_MS });
    return address;
  }
}
