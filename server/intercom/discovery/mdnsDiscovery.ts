import Bonjour from 'bonjour-service';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { RateLimit } from '../../platform/rateLimit.ts';
import type { Panel, PanelDiscovery } from '../ports.ts';
import { mdnsSocket } from './mdnsSocket.ts';
import { type AnnouncedService, type MdnsResponse, readServices } from './panelRecords.ts';

interface MdnsOptions {
  /** Address of the interface to look on; empty for all. */
  readonly interfaceAddress: string;
  /** UDP port other than 5353, for tests. */
  readonly port?: number;
  /** Whether an address is on a network of this machine. */
  readonly isOnLink: (address: string) => boolean;
  /** Sends OPTIONS: whether a panel still answers there. */
  readonly ping: (host: string, port: number) => Promise<boolean>;
  /** Port for calls over TLS to this panel, once signalling has started; undefined if it takes none. */
  readonly tlsPort: () => number | undefined;
  /** Whether this panel calls the others over TLS, on their TLS port. */
  readonly callsOverTls: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Known {
  panel: Panel;
  /** Where it answers OPTIONS over UDP. The port of `panel` may be the one for TLS. */
  readonly pingPort: number;
  /** Name of its service; a goodbye carries it. */
  readonly instance: string;
  /** Consecutive pings without an answer. */
  misses: number;
}

/** DNS-SD service type (RFC 6763 section 7): our own type, so that phones are not mistaken for panels. */
const TYPE = 'faceplate-sip';
/** Milliseconds between rounds of pings. */
export const ROUND_MS = 30_000;
/** Unanswered pings after which a panel counts as lost: one that loses power sends no goodbye. */
const MISSES = 3;
/** Most panels: a network that invents them must not fill the memory. */
const MAX_PANELS = 256;
/** Limits per second: datagrams decoded, panel records read, questions answered. */
const PER_SECOND = { datagrams: 100, records: 50, answers: 20 };
/** Milliseconds until panels are asked again after too many records at once, and how often per round. */
const AGAIN_MS = 2_000;
const MAX_AGAIN = 5;
/** Milliseconds that the goodbye may take. */
const GOODBYE_MS = 1_000;
const ID = /^[\w-]{8,64}$/;

const SERVICE = `_${TYPE}._udp.local`;

interface Question {
  readonly name: string;
  readonly type: string;
}

/** Internals of the library, which it exposes in no other way. */
interface MdnsServer {
  readonly mdns: NodeJS.EventEmitter & { query(name: string, type: string): void };
  recordsFor(name: string, type: string): unknown[];
  respondToQuery(query: { readonly questions: readonly Question[] }): void;
}

/**
 * Finds other panels by mDNS (RFC 6762) and announces this one. The address of a panel is the source of its packets,
 * and only addresses of the local link count: anything else in a packet may be forged.
 */
export class MdnsDiscovery implements PanelDiscovery {
  onFound: (panel: Panel) => void = () => {};
  onLost: (panel: Panel) => void = () => {};
  readonly #options: MdnsOptions;
  readonly #known = new Map<string, Known>();
  #bonjour: Bonjour | undefined;
  #server: MdnsServer | undefined;
  /** Panels by service name. */
  readonly #ids = new Map<string, string>();
  #ownId = '';
  #cancelRound: () => void = () => {};
  #cancelAgain: (() => void) | undefined;
  #again = 0;
  readonly #records: RateLimit;
  readonly #answers: RateLimit;

  constructor(options: MdnsOptions) {
    this.#options = options;
    this.#records = perSecond(options.clock, PER_SECOND.records);
    this.#answers = perSecond(options.clock, PER_SECOND.answers);
  }

  /** Announces this panel and starts to look for others. If the network is down, this is logged and tried again. */
  async start(own: { readonly id: string; readonly name: string; readonly port: number }): Promise<void> {
    if (this.#bonjour !== undefined) return;
    const { interfaceAddress, port, log, clock } = this.#options;
    const tlsPort = this.#options.tlsPort();
    this.#ownId = own.id;
    const failed = (error: unknown): void => log.warn({ err: error }, 'cannot look for panels now');
    const options = {
      ...(interfaceAddress !== '' && { interface: interfaceAddress, bind: '0.0.0.0' }),
      ...(port !== undefined && { port }),
      socket: mdnsSocket(perSecond(clock, PER_SECOND.datagrams)),
    };
    const bonjour = new Bonjour(options, failed);
    const { server } = bonjour as unknown as { server: MdnsServer };
    // A socket error without a listener would end the process.
    server.mdns.on('error', failed);
    // The library's browser searches all services for each record, and it answers every question.
    server.mdns.removeAllListeners('query');
    server.mdns.on('query', ({ questions }: { questions: readonly Question[] }) => this.#answer(questions));
    server.mdns.on('response', (packet: MdnsResponse, { address }: { address: string }) =>
      this.#read(packet, address),
    );
    this.#bonjour = bonjour;
    this.#server = server;
    bonjour.publish({
      name: `panel-${own.id}`,
      type: TYPE,
      protocol: 'udp',
      port: own.port,
      // The id makes the name unique; a probe would only write to standard output.
      probe: false,
      // The record carries the UDP port, as its name says.
      txt: {
        id: own.id,
        name: clip(own.name),
        v: '1',
        ...(tlsPort !== undefined && { tls: String(tlsPort) }),
      },
    });
    this.#look();
    this.#nextRound();
  }

  /** Sends the goodbye. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    const bonjour = this.#bonjour;
    if (bonjour === undefined) return;
    this.#bonjour = undefined;
    this.#server = undefined;
    this.#cancelRound();
    this.#cancelAgain?.();
    this.#cancelAgain = undefined;
    this.#known.clear();
    this.#ids.clear();
    await within(GOODBYE_MS, (done) => bonjour.unpublishAll(done));
    await within(GOODBYE_MS, (done) => bonjour.destroy(done));
  }

  /** Asks all panels to announce themselves. */
  #look(): void {
    this.#server?.mdns.query(SERVICE, 'PTR');
  }

  /** Many panels answer at once, or a device invents them: those left out are asked again. */
  #lookAgain(): void {
    if (this.#cancelAgain !== undefined || this.#again >= MAX_AGAIN) return;
    this.#again++;
    this.#cancelAgain = this.#options.clock.after(AGAIN_MS, () => {
      this.#cancelAgain = undefined;
      this.#look();
    });
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

  #read(packet: MdnsResponse, host: string): void {
    if (this.#server === undefined) return;
    const mayRead = (): boolean => {
      const mayBe = this.#records.take();
      if (!mayBe) this.#lookAgain();
      return mayBe;
    };
    const { services, goodbyes } = readServices(packet, `.${SERVICE}`, mayRead);
    for (const instance of goodbyes) {
      const id = this.#ids.get(instance);
      // Any device can send a goodbye for a panel, so it must come from the panel's own address.
      if (id !== undefined && this.#known.get(id)?.panel.host === host) this.#lose(id);
    }
    for (const service of services) this.#seen(service, host);
  }

  #seen({ instance, port: pingPort, text }: AnnouncedService, host: string): void {
    const id = text.get('id') ?? '';
    if (!ID.test(id) || id === this.#ownId || !this.#options.isOnLink(host)) return;
    if (!isPort(pingPort)) return;
    const before = this.#known.get(id);
    if (before === undefined && this.#known.size >= MAX_PANELS) return;
    const tlsPort = Number(text.get('tls') ?? '');
    const port = this.#options.callsOverTls && isPort(tlsPort) ? tlsPort : pingPort;
    const panel: Panel = { id, name: clip(text.get('name') ?? ''), host, port };
    const isSame = before?.panel.host === host && before.pingPort === pingPort;
    if (isSame && before.panel.name === panel.name && before.panel.port === port) return;
    if (!isSame) {
      // No new address replaces a panel that still answers.
      if (before?.misses === 0) return;
      this.#lose(id);
    }
    if (before !== undefined) this.#ids.delete(before.instance);
    this.#ids.set(instance, id);
    this.#known.set(id, { panel, pingPort, instance, misses: 0 });
    this.onFound(panel);
  }

  #lose(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#known.delete(id);
    this.#ids.delete(known.instance);
    this.onLost(known.panel);
  }

  #nextRound(): void {
    this.#cancelRound = this.#options.clock.after(ROUND_MS, () => {
      void this.#round().finally(() => {
        if (this.#bonjour !== undefined) this.#nextRound();
      });
    });
  }

  async #round(): Promise<void> {
    await Promise.all(
      [...this.#known].map(async ([id, known]) => {
        const answers = await this.#options.ping(known.panel.host, known.pingPort).catch(() => false);
        if (this.#known.get(id) !== known) return;
        known.misses = answers ? 0 : known.misses + 1;
        if (known.misses >= MISSES) this.#lose(id);
      }),
    );
    this.#again = 0;
    this.#look();
  }
}

function perSecond(clock: Clock, limit: number): RateLimit {
  return new RateLimit({ clock, limit, windowMs: 1_000 });
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** A string of a TXT record holds at most 255 bytes with its key (RFC 6763 section 6.1). */
function clip(name: string): string {
  let text = name;
  while (Buffer.byteLength(text) > 200) text = Array.from(text).slice(0, -1).join('');
  return text;
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
