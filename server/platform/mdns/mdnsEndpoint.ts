import { createSocket, type Socket } from 'node:dgram';
import Bonjour, { type ServiceConfig } from 'bonjour-service';
import type { Clock } from '../clock.ts';
import { RateLimit } from '../limits.ts';
import type { MdnsRecord, MdnsResponse } from './serviceRecords.ts';

/** Limits per second: datagrams decoded, questions answered. */
const PER_SECOND = { datagrams: 100, answers: 20 };
/** Milliseconds that the goodbye may take. */
const GOODBYE_MS = 1_000;

interface EndpointOptions {
  /** IPv4 address of the interface to speak on; empty for all. */
  readonly interfaceAddress: string;
  /** UDP port other than 5353, for tests. */
  readonly port?: number | undefined;
  readonly clock: Clock;
  /** The socket cannot be used, or not now. */
  readonly onFailed: (error: unknown) => void;
  /** An answer or announcement of anybody, ourselves included. */
  readonly onResponse: (packet: MdnsResponse, from: string) => void;
}

interface Question {
  readonly name: string;
  readonly type: string;
}

/** Internals of the library, which it exposes in no other way. */
interface MdnsServer {
  readonly mdns: NodeJS.EventEmitter & {
    query(name: string, type: string): void;
    respond(records: readonly MdnsRecord[], done: () => void): void;
  };
  register(records: readonly MdnsRecord[]): void;
  recordsFor(name: string, type: string): unknown[];
  respondToQuery(query: { readonly questions: readonly Question[] }): void;
}

/** One place on the network that speaks mDNS (RFC 6762), with bounds on what strangers may cost. */
export class MdnsEndpoint {
  readonly #options: EndpointOptions;
  readonly #answers: RateLimit;
  #bonjour: Bonjour | undefined;
  #server: MdnsServer | undefined;
  #announced: MdnsRecord[] = [];

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#answers = new RateLimit({ clock: options.clock, limit: PER_SECOND.answers, windowMs: 1_000 });
  }

  start(): void {
    const { interfaceAddress, port, clock, onFailed, onResponse } = this.#options;
    const datagrams = new RateLimit({ clock, limit: PER_SECOND.datagrams, windowMs: 1_000 });
    const options = {
      ...(interfaceAddress !== '' && { interface: interfaceAddress, bind: '0.0.0.0' }),
      ...(port !== undefined && { port }),
      socket: mdnsSocket(datagrams),
    };
    const bonjour = new Bonjour(options, onFailed);
    const { server } = bonjour as unknown as { server: MdnsServer };
    // A socket error without a listener would end the process.
    server.mdns.on('error', onFailed);
    // The library's browser searches all services for each record, and it answers every question.
    server.mdns.removeAllListeners('query');
    server.mdns.on('query', ({ questions }: { questions: readonly Question[] }) => this.#answer(questions));
    server.mdns.on('response', (packet: MdnsResponse, { address }: { address: string }) =>
      onResponse(packet, address),
    );
    this.#bonjour = bonjour;
    this.#server = server;
  }

  /** Says goodbye for all that was announced. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    const bonjour = this.#bonjour;
    const server = this.#server;
    if (bonjour === undefined || server === undefined) return;
    this.#bonjour = undefined;
    this.#server = undefined;
    const last = this.#announced.map((record) => ({ ...record, ttl: 0 }));
    if (last.length > 0) await within(GOODBYE_MS, (done) => server.mdns.respond(last, done));
    await within(GOODBYE_MS, (done) => bonjour.unpublishAll(done));
    await within(GOODBYE_MS, (done) => bonjour.destroy(done));
  }

  /** Announces a service of this machine on all its addresses, as the library does it. */
  publish(service: ServiceConfig): void {
    this.#bonjour?.publish(service);
  }

  /** Answers questions for these records from now on; `announce` also tells them unasked. */
  register(records: readonly MdnsRecord[]): void {
    this.#server?.register(records);
    this.#announced.push(...records);
  }

  announce(): void {
    if (this.#announced.length > 0) this.#server?.mdns.respond(this.#announced, () => {});
  }

  query(name: string, type: string): void {
    this.#server?.mdns.query(name, type);
  }

  #answer(questions: readonly Question[]): void {
    for (const question of questions) {
      const { name, type } = question;
      const isOurs = type === 'ANY' || (this.#server?.recordsFor(name, type).length ?? 0) > 0;
      if (!isOurs) continue;
      if (!this.#answers.take()) return;
      this.#server?.respondToQuery({ questions: [question] });
    }
  }
}

/** Waits for a callback, with a time limit. */
function within(milliseconds: number, run: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    run(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The largest packet of mDNS (RFC 6762 section 17), in bytes. */
const MAX_BYTES = 9_000;
/**
 * Questions and records that one packet may announce. A panel has a few, and one for each of its addresses. The decoder
 * makes room for all that the head promises, and follows the pointers of each name anew.
 */
const MAX_ENTRIES = 64;
/** Where the four counts of a head stand (RFC 1035 section 4.1.1). */
const COUNTS_AT = [4, 6, 8, 10] as const;
const HEAD_BYTES = 12;

/** Whether decoding a datagram costs no more than that of a packet of a panel, by its length and by what its head says. */
export function mayDecode(datagram: Buffer): boolean {
  if (datagram.length > MAX_BYTES) return false;
  if (datagram.length < HEAD_BYTES) return true;
  return COUNTS_AT.reduce((sum, at) => sum + datagram.readUInt16BE(at), 0) <= MAX_ENTRIES;
}

/** A socket for mDNS that drops datagrams before they are decoded: those over the limit, and those too large. */
export function mdnsSocket(datagrams: RateLimit): Socket {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
  const bounded = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'message' && (!mayDecode(args[0] as Buffer) || !datagrams.take())) return false;
    return emit(event, ...args);
  };
  socket.emit = bounded as Socket['emit'];
  return socket;
}
