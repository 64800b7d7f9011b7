import { isIPv6 } from 'node:net';
import { hostname, type NetworkInterfaceInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { InTurn } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { interfacesNow } from '../net/addresses.ts';
import { MdnsEndpoint } from './mdnsEndpoint.ts';
import { type MdnsRecord, type MdnsResponse, readServices } from './serviceRecords.ts';

/** Milliseconds between two looks at the addresses of this machine. */
export const LOOK_EVERY_MS = 10_000;

/** What is announced, as it is now. */
export interface Announced extends ServiceFacts {
  /** Address that the server listens on. */
  readonly host: string;
  /** Name or IPv4 address of the one interface to speak on; empty for all but loopback. */
  readonly interfaceName: string;
}

interface AnnouncerOptions {
  /** Undefined where nothing is to be announced. */
  readonly announced: () => Announced | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** UDP port other than 5353, for tests. */
  readonly port?: number;
  readonly interfaces?: () => Interfaces;
}

interface Running {
  readonly facts: ServiceFacts;
  readonly where: CoveredInterface;
  readonly announcement: PanelAnnouncement;
}

/**
 * Announces the panel by mDNS as `_faceplate._tcp` on each interface where its server can be reached, and anew when
 * its name, its addresses or the settings change. A network without multicast is logged, no failure.
 */
export class PanelAnnouncer {
  readonly #options: AnnouncerOptions;
  readonly #running = new Map<string, Running>();
  readonly #changes = new InTurn();
  #cancel: (() => void) | undefined;
  #isOn = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isOn = true;
    this.refresh();
  }

  /** Says goodbye everywhere. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    this.#isOn = false;
    this.#cancel?.();
    this.refresh();
    await this.#changes.idle();
  }

  /** What is announced may have changed. */
  refresh(): void {
    void this.#changes.follow(
      () => this.#change(),
      (error) => {
        this.#options.log.warn({ err: error }, 'mdns: could not announce the panel');
        this.#lookLater();
      },
    );
  }

  async #change(): Promise<void> {
    const { announced, interfaces = interfacesNow } = this.#options;
    const wanted = this.#isOn ? announced() : undefined;
    const places = wanted ? coveredInterfaces(wanted.host, wanted.interfaceName, interfaces()) : [];
    const facts = wanted && { name: wanted.name, port: wanted.port, text: wanted.text };
    const stale = [...this.#running].filter(
      ([name, running]) =>
        !isDeepStrictEqual(running.facts, facts) ||
        !isDeepStrictEqual(
          running.where,
          places.find((place) => place.name === name),
        ),
    );
    for (const [name] of stale) this.#running.delete(name);
    await Promise.all(stale.map(([, { announcement }]) => announcement.stop()));
    if (facts) for (const where of places) this.#begin(where, facts);
    this.#lookLater();
  }

  #lookLater(): void {
    this.#cancel?.();
    this.#cancel = this.#isOn ? this.#options.clock.after(LOOK_EVERY_MS, () => this.refresh()) : undefined;
  }

  #begin(where: CoveredInterface, facts: ServiceFacts): void {
    if (this.#running.has(where.name)) return;
    const { clock, log, port } = this.#options;
    const announcement = new PanelAnnouncement({
      ...facts,
      where,
      machine: hostname(),
      port: facts.port,
      mdnsPort: port,
      clock,
      log,
    });
    this.#running.set(where.name, { facts, where, announcement });
    announcement.start();
  }
}

/** DNS-SD service type (RFC 6763 section 7). */
const SERVICE = '_faceplate._tcp.local';
const ALL_SERVICES = '_services._dns-sd._udp.local';
/** Seconds that others may keep a record: with a host name in it, and others (RFC 6762 section 10). */
const TTL = { host: 120, other: 4_500 } as const;
/** Milliseconds in which another holder of the name can answer (RFC 6762 section 8.1). */
export const PROBE_MS = 750;
/** Milliseconds between the first two announcements (RFC 6762 section 8.3). */
export const AGAIN_MS = 1_000;
/** Longest label of DNS, in bytes. */
const LABEL_BYTES = 63;
/** Records of our service that one packet may hold before the rest is skipped. */
const MAX_READ = 16;

/** The service as others see it. */
interface ServiceFacts {
  /** Name for people, 1 to 63 bytes. */
  readonly name: string;
  readonly port: number;
  /** Of the TXT record; `id` tells this panel from others of its name. */
  readonly text: Readonly<Record<string, string>> & { readonly id: string };
}

interface AnnouncementOptions extends ServiceFacts {
  readonly where: CoveredInterface;
  /** Host name of this machine. */
  readonly machine: string;
  readonly mdnsPort: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The panel's service on one interface: asks whether another panel has its name, announces it, answers questions, and
 * says goodbye. Where another panel has the name, its id is added.
 */
class PanelAnnouncement {
  readonly #options: AnnouncementOptions;
  readonly #endpoint: MdnsEndpoint;
  #label: string;
  #isTaken = false;
  #isKnown = false;
  #cancel: (() => void) | undefined;

  constructor(options: AnnouncementOptions) {
    this.#options = options;
    this.#label = asLabel(options.name);
    const { where, mdnsPort, clock, log } = options;
    this.#endpoint = new MdnsEndpoint({
      interfaceAddress: where.speaksFrom,
      port: mdnsPort,
      clock,
      onFailed: (error) =>
        log.warn(
          { err: error, interface: where.name },
          'mdns: could not announce the panel on this interface',
        ),
      onResponse: (packet) => this.#heard(packet),
    });
  }

  start(): void {
    const { clock } = this.#options;
    this.#endpoint.start();
    this.#endpoint.query(`${this.#label}.${SERVICE}`, 'ANY');
    this.#cancel = clock.after(PROBE_MS, () => {
      if (this.#isTaken) this.#label = withId(this.#label, this.#options.text.id);
      this.#isKnown = true;
      this.#endpoint.register(this.#records());
      this.#endpoint.announce();
      this.#cancel = clock.after(AGAIN_MS, () => this.#endpoint.announce());
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#endpoint.stop();
  }

  /** Another panel that holds our name. */
  #heard(packet: MdnsResponse): void {
    if (this.#isKnown) return;
    let read = 0;
    const { services } = readServices(packet, `.${SERVICE}`, () => ++read <= MAX_READ);
    const own = `${this.#label}.${SERVICE}`.toLowerCase();
    if (services.some(({ instance, text }) => instance === own && text.get('id') !== this.#options.text.id))
      this.#isTaken = true;
  }

  #records(): MdnsRecord[] {
    const { where, machine, port, text } = this.#options;
    const instance = `${this.#label}.${SERVICE}`;
    // The name that the panel answers to over HTTP. Other programs may announce it too, so their copies are not flushed.
    const host = `${machine.split('.')[0] || 'faceplate'}.local`;
    return [
      { name: SERVICE, type: 'PTR', ttl: TTL.other, data: instance },
      { name: ALL_SERVICES, type: 'PTR', ttl: TTL.other, data: SERVICE },
      {
        name: instance,
        type: 'SRV',
        ttl: TTL.host,
        flush: true,
        data: { priority: 0, weight: 0, port, target: host },
      },
      {
        name: instance,
        type: 'TXT',
        ttl: TTL.other,
        flush: true,
        data: Object.entries(text).map(([key, value]) => Buffer.from(`${key}=${value}`)),
      },
      ...where.addresses.map((address) => ({
        name: host,
        type: isIPv6(address) ? 'AAAA' : 'A',
        ttl: TTL.host,
        data: address,
      })),
    ];
  }
}

/** A name as one label: the library takes every dot for the end of one. */
function asLabel(name: string): string {
  return name.replaceAll('.', '-');
}

function withId(label: string, id: string): string {
  const suffix = ` (${id})`;
  let text = label;
  while (Buffer.byteLength(text) + suffix.length > LABEL_BYTES) text = Array.from(text).slice(0, -1).join('');
  return text + suffix;
}

/** An interface on which a server can be reached. */
export interface CoveredInterface {
  readonly name: string;
  /** Its IPv4 address from which mDNS is spoken. */
  readonly speaksFrom: string;
  /** Addresses of the server there. */
  readonly addresses: readonly string[];
}

/** Interfaces as `networkInterfaces()` of node:os gives them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The interfaces on which a server that listens on `host` can be announced; one without IPv4 speaks no mDNS here.
 * @param host an IP address or `localhost`
 * @param only name or IPv4 address of the one interface to take; empty for all but loopback
 */
export function coveredInterfaces(host: string, only: string, interfaces: Interfaces): CoveredInterface[] {
  return Object.entries(interfaces).flatMap(([name, entries = []]) => {
    const v4 = entries.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    const isNamed = only === name || v4.includes(only);
    const isLoopback = entries.some(({ internal }) => internal);
    if (only === '' ? isLoopback : !isNamed) return [];
    const addresses = entries.map(({ address }) => address).filter((address) => isServed(address, host));
    const speaksFrom = v4.includes(only) ? only : v4[0];
    return speaksFrom === undefined || addresses.length === 0 ? [] : [{ name, speaksFrom, addresses }];
  });
}

function isServed(address: string, host: string): boolean {
  // A link-local address needs the name of the caller's own interface, which no record can tell.
  if (/^fe80:/i.test(address)) return false;
  if (host === '0.0.0.0') return !isIPv6(address);
  if (host === 'localhost') return address === '127.0.0.1';
  return host === '::' || address === host;
}
