import { isDeepStrictEqual } from 'node:util';
import { InTurn } from '../async.ts';
import type { Clock } from '../clock.ts';
import { RateLimit } from '../limits.ts';
import type { Logger } from '../log.ts';
import { interfacesNow } from '../net/addresses.ts';
import { MdnsEndpoint } from './mdnsEndpoint.ts';
import { type CoveredInterface, coveredInterfaces, type Interfaces } from './panelAnnouncer.ts';
import { type AnnouncedService, type MdnsResponse, readServices } from './serviceRecords.ts';

/** DNS-SD service type (RFC 6763 section 7). */
const SERVICE = '_faceplate._tcp.local';
/** Milliseconds between two questions to all panels, and two looks at the addresses of this machine. */
export const ASK_EVERY_MS = 30_000;
/** Questions without an answer after which a panel is gone: one that loses power sends no goodbye. */
const MISSES = 4;
/** Most panels: a network that invents them must not fill the memory. */
export const MAX_NEIGHBOURS = 1_000;
/** Records of panels that are read per second. */
const RECORDS_PER_SECOND = 200;
/** `info.id` of a panel. */
const ID = /^[0-9a-f]{12}$/;
/** Longest text of a TXT record that is stored. */
const MAX_TEXT = 64;

/** A panel that was heard. */
interface Found {
  /** Its `info.id`. */
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly board: string | null;
  /** `<ip>:<port>` */
  readonly address: string;
  /** Port of HTTPS; null where it is off. */
  readonly https: number | null;
}

interface Known {
  readonly panel: Found;
  readonly instance: string;
  readonly from: string;
  heardAt: number;
}

interface BrowserOptions {
  /** Where to look: as the panel announces itself. */
  where(): { readonly host: string; readonly interfaceName: string };
  /** This panel is not listed. */
  readonly ownId: string;
  /** Whether an address is on a network of this machine. */
  isOnLink(address: string): boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** UDP port other than 5353, for tests. */
  readonly port?: number;
  readonly interfaces?: () => Interfaces;
}

/**
 * Finds panels by mDNS (RFC 6762). It proves nothing: the address of a panel is the source of its packets, and a panel
 * that still answers is never replaced by a packet from another address.
 */
export class PanelBrowser {
  readonly #options: BrowserOptions;
  readonly #known = new Map<string, Known>();
  readonly #endpoints = new Map<string, { where: CoveredInterface; endpoint: MdnsEndpoint }>();
  readonly #listeners = new Set<() => void>();
  readonly #records: RateLimit;
  readonly #rounds = new InTurn();
  #cancel: (() => void) | undefined;
  #isOn = false;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#records = new RateLimit({ clock: options.clock, limit: RECORDS_PER_SECOND, windowMs: 1_000 });
  }

  async start(): Promise<void> {
    this.#isOn = true;
    await this.#round();
  }

  /** Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    this.#isOn = false;
    this.#known.clear();
    await this.#round();
  }

  panels(): readonly Found[] {
    return [...this.#known.values()].map(({ panel }) => panel);
  }

  /** @returns the function that ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #round(): Promise<void> {
    return this.#rounds.follow(
      () => this.#look(),
      (error) => {
        this.#options.log.warn({ err: error }, 'mdns: could not search for panels');
        this.#lookLater();
      },
    );
  }

  async #look(): Promise<void> {
    const { where, interfaces = interfacesNow } = this.#options;
    this.#cancel?.();
    const { host, interfaceName } = where();
    const places = this.#isOn ? coveredInterfaces(host, interfaceName, interfaces()) : [];
    for (const [name, { where: before, endpoint }] of this.#endpoints) {
      if (
        isDeepStrictEqual(
          before,
          places.find((place) => place.name === name),
        )
      )
        continue;
      this.#endpoints.delete(name);
      await endpoint.stop();
    }
    for (const place of places) if (!this.#endpoints.has(place.name)) this.#begin(place);
    this.#forgetSilent();
    for (const { endpoint } of this.#endpoints.values()) endpoint.query(SERVICE, 'PTR');
    this.#lookLater();
  }

  #lookLater(): void {
    this.#cancel?.();
    this.#cancel = this.#isOn ? this.#options.clock.after(ASK_EVERY_MS, () => void this.#round()) : undefined;
  }

  #begin(where: CoveredInterface): void {
    const { clock, log, port } = this.#options;
    const endpoint = new MdnsEndpoint({
      interfaceAddress: where.speaksFrom,
      port,
      clock,
      onFailed: (error) =>
        log.warn(
          { err: error, interface: where.name },
          'mdns: could not search for panels on this interface',
        ),
      onResponse: (packet, from) => this.#read(packet, from),
    });
    this.#endpoints.set(where.name, { where, endpoint });
    endpoint.start();
  }

  #forgetSilent(): void {
    const limit = this.#options.clock.now() - MISSES * ASK_EVERY_MS;
    for (const [id, { heardAt }] of this.#known) if (heardAt < limit) this.#drop(id);
  }

  #read(packet: MdnsResponse, from: string): void {
    if (!this.#isOn) return;
    const { services, goodbyes } = readServices(packet, `.${SERVICE}`, () => this.#records.take());
    // Any device can send a goodbye for a panel, so it must come from the panel's own address.
    for (const instance of goodbyes)
      for (const [id, known] of this.#known)
        if (known.instance === instance && known.from === from) this.#drop(id);
    for (const service of services) this.#seen(service, from);
  }

  #seen({ instance, label, port, text }: AnnouncedService, from: string): void {
    const { ownId, isOnLink, clock } = this.#options;
    const id = text.get('id') ?? '';
    if (!ID.test(id) || id === ownId || !isOnLink(from)) return;
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return;
    const before = this.#known.get(id);
    if (before === undefined ? this.#known.size >= MAX_NEIGHBOURS : before.from !== from) return;
    const panel: Found = {
      id,
      name: label.slice(0, MAX_TEXT),
      version: text.get('version')?.slice(0, MAX_TEXT) ?? null,
      board: text.get('board')?.slice(0, MAX_TEXT) ?? null,
      address: `${from}:${port}`,
      https: /^[1-9]\d{0,4}$/.test(text.get('https') ?? '') ? Number(text.get('https')) : null,
    };
    const isSame = isDeepStrictEqual(before?.panel, panel);
    this.#known.set(id, { panel, instance, from, heardAt: clock.now() });
    if (!isSame) this.#tell();
  }

  #drop(id: string): void {
    if (this.#known.delete(id)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
