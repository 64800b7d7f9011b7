import type { Clock } from '../../../platform/clock.ts';
import { routeTo } from '../../../platform/net/addresses.ts';
import { formatVia, type Via } from '../message/fields.ts';
import { type Parsed, parseMessage } from '../message/parse.ts';
import { Connections, type ConnectionsOptions } from './connections.ts';
import { type Hop, MAX_UDP_REQUEST, type Source } from './hop.ts';
import { type ListenerOptions, Listeners } from './listeners.ts';
import type { Protocol } from './protocol.ts';
import { PingLimit } from './streamConnection.ts';

/** Time limit of opening a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** The same if TCP is tried only because a request is large. */
const TRY_TCP_MS = 1_000;
/** How long a host without TCP is remembered, in milliseconds. */
const NO_TCP_MS = 10 * 60_000;
/** Most hosts without TCP that are remembered. */
const MAX_WITHOUT_TCP = 100;

export interface TransportOptions extends ListenerOptions, ConnectionsOptions {}

/** Sends and receives messages over UDP, TCP and TLS (RFC 3261 section 18). */
export class Transport {
  readonly #onMessage: (message: Parsed, source: Source) => void;
  readonly #clock: Clock;
  readonly #addresses: LocalAddresses;
  readonly #listeners: Listeners;
  readonly #connections: Connections;
  readonly #withoutTcp = new Map<string, number>();
  readonly #pings: PingLimit;

  constructor(options: TransportOptions) {
    this.#onMessage = options.onMessage;
    this.#clock = options.clock;
    this.#addresses = new LocalAddresses(options.host, options.clock);
    this.#pings = new PingLimit(options.clock);
    this.#connections = new Connections({
      ...options,
      onMessage: (message, source) => this.#receive(message, source),
    });
    this.#listeners = new Listeners(options, {
      onDatagram: (data, host, port) => this.#onDatagram(data, host, port),
      onConnection: (protocol, socket) => this.#connections.take(protocol, socket),
    });
  }

  /** The port of UDP and TCP; TLS has the next one. */
  portOf(protocol: Protocol): number {
    return this.#listeners.portOf(protocol);
  }

  /** Our own address as the remote party sees it. @throws Error of the system if there is no route. */
  localAddress(host: string): Promise<string> {
    return this.#addresses.towards(host);
  }

  /** @throws the errors of `Listeners.start` */
  async start(): Promise<void> {
    this.#connections.start();
    try {
      await this.#listeners.start();
    } catch (error) {
      this.#connections.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#connections.stop();
    await this.#listeners.stop();
  }

  /** Our top Via towards a hop. @throws Error of the system if there is no route. */
  async via(hop: Hop, branch: string): Promise<Via> {
    const host = await this.localAddress(hop.host);
    // RFC 3581 section 3: an empty rport asks for the answer at the port that we send from.
    const params = new Map([
      ['branch', branch],
      ...(hop.protocol === 'udp' ? ([['rport', '']] as const) : []),
    ]);
    return { transport: hop.protocol.toUpperCase(), host, port: this.portOf(hop.protocol), params };
  }

  /**
   * The hop for a request of this size: above 1,300 bytes TCP instead of UDP, if the remote party supports it (RFC 3261
   * section 18.1.1).
   */
  async fitting(hop: Hop, bytes: number): Promise<Hop> {
    if (hop.protocol !== 'udp' || bytes <= MAX_UDP_REQUEST) return hop;
    const key = `${hop.host} ${hop.port}`;
    if ((this.#withoutTcp.get(key) ?? 0) > this.#clock.now()) return hop;
    const overTcp: Hop = { ...hop, protocol: 'tcp' };
    try {
      await this.#connections.to(overTcp, TRY_TCP_MS);
      return overTcp;
    } catch {
      this.noteWithoutTcp(hop);
      return hop;
    }
  }

  /** Remembers that this host does not speak SIP over TCP. */
  noteWithoutTcp({ host, port }: Hop): void {
    if (this.#withoutTcp.size >= MAX_WITHOUT_TCP) this.#withoutTcp.clear();
    this.#withoutTcp.set(`${host} ${port}`, this.#clock.now() + NO_TCP_MS);
  }

  /** @throws Error if it cannot be sent: no route, connection refused, certificate not trusted. */
  async send(data: Buffer, hop: Hop): Promise<void> {
    if (hop.protocol === 'udp') {
      await this.#listeners.sendDatagram(data, hop);
      return;
    }
    const connection = await this.#connections.to(hop, CONNECT_MS);
    if (!connection.send(data)) throw new Error('the connection is closed');
  }

  /** Keeps the network path of a registration open (RFC 5626 section 4.4). */
  keepAlive(hop: Hop): void {
    if (hop.protocol === 'udp') this.#listeners.sendDatagram(Buffer.from('\r\n\r\n'), hop).catch(() => {});
    else this.#connections.ping(hop);
  }

  #onDatagram(data: Buffer, host: string, port: number): void {
    const source: Source = { protocol: 'udp', host, port, connection: undefined };
    let start = 0;
    while (data[start] === 13 || data[start] === 10) start++;
    if (start < data.length) this.#receive(parseMessage(data.subarray(start)), source);
    else if (data.length >= 4 && this.#pings.take(host, port))
      this.#listeners.sendDatagram(Buffer.from('\r\n'), source).catch(() => {});
  }

  /** RFC 3581 section 4 and RFC 3261 section 18.2.1: records the source of a request in its Via. */
  #receive(message: Parsed, source: Source): void {
    if (message.kind !== 'request') {
      this.#onMessage(message, source);
      return;
    }
    const { via } = message.core;
    const params = new Map(via.params);
    if (params.has('rport') || via.host !== source.host) params.set('received', source.host);
    if (params.has('rport')) params.set('rport', String(source.port));
    const noted: Via = { ...via, params };
    const [, ...others] = message.headers.list('via');
    message.headers.delete('via');
    for (const value of others.toReversed()) message.headers.addFirst('via', value);
    message.headers.addFirst('via', formatVia(noted));
    this.#onMessage({ ...message, core: { ...message.core, via: noted } }, source);
  }
}

/** How long an answer of the routing table is valid, in milliseconds. */
const FRESH_MS = 10_000;
const MAX_KEPT = 256;

/** Finds which of our addresses the remote party sees: the one for Via, Contact and SDP. */
class LocalAddresses {
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
