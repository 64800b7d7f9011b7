import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../observe/clock.ts';

/** How long an answer of the routing table is good for, in milliseconds. */
const FRESH_MS = 10_000;
const MAX_KEPT = 256;

/** Tells which of our own addresses the far end sees: the one that belongs in Via, Contact and SDP. */
export class LocalAddresses {
  readonly #clock: Clock;
  readonly #bound: string;
  readonly #known = new Map<string, { readonly address: string; readonly until: number }>();

  /** @param bound the address that we listen on; one that stands for all lets the routing table decide. */
  constructor(bound: string, clock: Clock) {
    this.#bound = bound;
    this.#clock = clock;
  }

  /** @throws Error of the system where there is no route. */
  async towards(host: string): Promise<string> {
    if (this.#bound !== '0.0.0.0' && this.#bound !== '::') return this.#bound;
    const known = this.#known.get(host);
    if (known !== undefined && known.until > this.#clock.now()) return known.address;
    const address = await askRoutingTable(host);
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(host, { address, until: this.#clock.now() + FRESH_MS });
    return address;
  }
}

/** Connecting a UDP socket sends nothing, but picks the address. */
async function askRoutingTable(host: string): Promise<string> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(9, host, () => resolve());
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
