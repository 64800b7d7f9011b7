import Bonjour from 'bonjour-service';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import type { Panel, PanelDiscovery } from '../../services/sip/driver.ts';

export interface MdnsOptions {
  /** Address of the interface to look on; empty for all. */
  readonly interfaceAddress: string;
  /** UDP port other than 5353, for tests. */
  readonly port?: number;
  /** Whether an address is on a network of this machine. */
  readonly isOnLink: (address: string) => boolean;
  /** OPTIONS: whether a panel still answers there. */
  readonly ping: (host: string, port: number) => Promise<boolean>;
  /** Port on which this panel takes calls over TLS, once signalling has started; undefined where it takes none. */
  readonly tlsPort: () => number | undefined;
  /** Whether this panel calls the others over TLS: their port for that is the one to call then. */
  readonly callsOverTls: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Known {
  panel: Panel;
  /** Where it answers OPTIONS over UDP, whatever the port of `panel` is for. */
  readonly pingPort: number;
  /** Pings in a row without an answer. */
  misses: number;
}

/** DNS-SD service type (RFC 6763 section 7): our own, so that telephones are not taken for panels. */
const TYPE = 'faceplate-sip';
/** Milliseconds between two rounds of pings. */
export const ROUND_MS = 30_000;
/** Unanswered pings after which a panel is taken for lost: switched off, it says no goodbye. */
const MISSES = 3;
/** A network that invents panels must not fill the memory. */
const MAX_PANELS = 256;
/** Milliseconds that the goodbye may take. */
const GOODBYE_MS = 1_000;
const ID = /^[\w-]{8,64}$/;

type Browser = ReturnType<Bonjour['find']>;
type Service = Browser['services'][number];

/**
 * Finds other panels by mDNS (RFC 6762) and announces this one. The address of a panel is the one its packets come from,
 * and only an address of the local link counts: whatever else a packet says may be invented.
 */
export class MdnsDiscovery implements PanelDiscovery {
  onFound: (panel: Panel) => void = () => {};
  onLost: (panel: Panel) => void = () => {};
  readonly #options: MdnsOptions;
  readonly #known = new Map<string, Known>();
  #bonjour: Bonjour | undefined;
  #browser: Browser | undefined;
  #ownId = '';
  #cancelRound: () => void = () => {};

  constructor(options: MdnsOptions) {
    this.#options = options;
  }

  /** Announces this panel and begins to look for others. A network that is down is logged and tried again. */
  async start(own: { readonly id: string; readonly name: string; readonly port: number }): Promise<void> {
    if (this.#bonjour !== undefined) return;
    const { interfaceAddress, port, log } = this.#options;
    const tlsPort = this.#options.tlsPort();
    this.#ownId = own.id;
    const failed = (error: unknown): void => log.warn({ err: error }, 'panels cannot be looked for now');
    const options = {
      ...(interfaceAddress !== '' && { interface: interfaceAddress, bind: '0.0.0.0' }),
      ...(port !== undefined && { port }),
    };
    const bonjour = new Bonjour(options, failed);
    // An error of the socket that nobody listens to would end the process, and the library offers no other way to it.
    (bonjour as unknown as { server: { mdns: NodeJS.EventEmitter } }).server.mdns.on('error', failed);
    this.#bonjour = bonjour;
    bonjour.publish({
      name: `panel-${own.id}`,
      type: TYPE,
      protocol: 'udp',
      port: own.port,
      // The name is unique by its id; a probe would only write to standard output.
      probe: false,
      // The port of the record is that of UDP, as its name says.
      txt: {
        id: own.id,
        name: clip(own.name),
        v: '1',
        ...(tlsPort !== undefined && { tls: String(tlsPort) }),
      },
    });
    this.#browse(bonjour);
    this.#nextRound();
  }

  /** Says goodbye. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    const bonjour = this.#bonjour;
    if (bonjour === undefined) return;
    this.#bonjour = undefined;
    this.#cancelRound();
    this.#browser?.stop();
    this.#browser = undefined;
    this.#known.clear();
    await within(GOODBYE_MS, (done) => bonjour.unpublishAll(done));
    await within(GOODBYE_MS, (done) => bonjour.destroy(done));
  }

  /** Begins to look anew: a browser of the library tells each service only once, also when its address changes. */
  #browse(bonjour: Bonjour): void {
    this.#browser?.stop();
    const browser = bonjour.find({ type: TYPE, protocol: 'udp' });
    for (const event of ['up', 'txt-update', 'srv-update'] as const)
      browser.on(event, (service: Service) => this.#seen(service));
    browser.on('down', (service: Service) => {
      const id = textOf(service, 'id');
      // Anybody can say goodbye for a panel: it has to come from the panel's own address.
      if (this.#known.get(id)?.panel.host === service.referer?.address) this.#lose(id);
    });
    this.#browser = browser;
  }

  #seen(service: Service): void {
    const id = textOf(service, 'id');
    const host = service.referer?.address;
    if (!ID.test(id) || id === this.#ownId || host === undefined || !this.#options.isOnLink(host)) return;
    if (!isPort(service.port)) return;
    const before = this.#known.get(id);
    if (before === undefined && this.#known.size >= MAX_PANELS) return;
    const tlsPort = Number(textOf(service, 'tls'));
    const port = this.#options.callsOverTls && isPort(tlsPort) ? tlsPort : service.port;
    const panel: Panel = { id, name: clip(textOf(service, 'name')), host, port };
    if (before !== undefined && before.panel.host === host && before.pingPort === service.port) {
      if (before.panel.name === panel.name && before.panel.port === port) return;
      before.panel = panel;
    } else {
      // Nobody takes the place of a panel that still answers.
      if (before?.misses === 0) return;
      this.#lose(id);
      this.#known.set(id, { panel, pingPort: service.port, misses: 0 });
    }
    this.onFound(panel);
  }

  #lose(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#known.delete(id);
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
    if (this.#bonjour !== undefined) this.#browse(this.#bonjour);
  }
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function textOf(service: Service, key: string): string {
  const text: unknown = Object.hasOwn(service.txt ?? {}, key) ? service.txt[key] : '';
  return typeof text === 'string' ? text : '';
}

/** A string of a TXT record holds at most 255 bytes with its key (RFC 6763 section 6.1). */
function clip(name: string): string {
  let text = name;
  while (Buffer.byteLength(text) > 200) text = Array.from(text).slice(0, -1).join('');
  return text;
}

/** Waits for a callback, but not for ever. */
function within(milliseconds: number, run: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    run(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
