import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { InTurn } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { interfacesNow } from '../net/addresses.ts';
import {
  type CoveredInterface,
  coveredInterfaces,
  type Interfaces,
  PanelAnnouncement,
  type ServiceFacts,
} from './panelAnnouncement.ts';

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
