import type { Clock } from '../../platform/clock.ts';
import { RateLimit } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import { MdnsEndpoint } from '../../platform/mdns/mdnsEndpoint.ts';
import {
  type AnnouncedService,
  type MdnsResponse,
  readServices,
} from '../../platform/mdns/serviceRecords.ts';
import type { Panel, PanelDiscovery } from '../ports.ts';

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
/** Records of panels that are read per second. */
const RECORDS_PER_SECOND = 50;
/** Milliseconds until panels are asked again after too many records at once, and how often per round. */
const AGAIN_MS = 2_000;
const MAX_AGAIN = 5;
const ID = /^[\w-]{8,64}$/;

const SERVICE = `_${TYPE}._udp.local`;

/**
 * Finds other panels by mDNS (RFC 6762) and announces this one. The address of a panel is the source of its packets,
 * and only addresses of the local link count: anything else in a packet may be forged.
 */
export class MdnsDiscovery implements PanelDiscovery {
  onFound: (panel: Panel) => void = () => {};
  onLost: (panel: Panel) => void = () => {};
  readonly #options: MdnsOptions;
  readonly #known = new Map<string, Known>();
  #endpoint: MdnsEndpoint | undefined;
  /** Panels by service name. */
  readonly #ids = new Map<string, string>();
  #ownId = '';
  #cancelRound: () => void = () => {};
  #cancelAgain: (() => void) | undefined;
  #again = 0;
  readonly #records: RateLimit;

  constructor(options: MdnsOptions) {
    this.#options = options;
    this.#records = new RateLimit({ clock: options.clock, limit: RECORDS_PER_SECOND, windowMs: 1_000 });
  }

  /** Announces this panel and starts to look for others. If the network is down, this is logged and tried again. */
  async start(own: { readonly id: string; readonly name: string; readonly port: number }): Promise<void> {
    if (this.#endpoint !== undefined) return;
    const { interfaceAddress, port, log, clock } = this.#options;
    const tlsPort = this.#options.tlsPort();
    this.#ownId = own.id;
    const endpoint = new MdnsEndpoint({
      interfaceAddress,
      port,
      clock,
      onFailed: (error) => log.warn({ err: error }, 'intercom: could not search for panels'),
      onResponse: (packet, address) => this.#read(packet, address),
    });
    this.#endpoint = endpoint;
    endpoint.start();
    endpoint.publish({
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
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    this.#endpoint = undefined;
    this.#cancelRound();
    this.#cancelAgain?.();
    this.#cancelAgain = undefined;
    this.#known.clear();
    this.#ids.clear();
    await endpoint.stop();
  }

  /** Asks all panels to announce themselves. */
  #look(): void {
    this.#endpoint?.query(SERVICE, 'PTR');
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

  #read(packet: MdnsResponse, host: string): void {
    if (this.#endpoint === undefined) return;
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
        if (this.#endpoint !== undefined) this.#nextRound();
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

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** A string of a TXT record holds at most 255 bytes with its key (RFC 6763 section 6.1). */
function clip(name: string): string {
  let text = name;
  while (Buffer.byteLength(text) > 200) text = Array.from(text).slice(0, -1).join('');
  return text;
}
