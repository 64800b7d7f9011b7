import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { RateLimit } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { LocalNetwork } from '../../platform/net/localTargets.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';
import { upperHex } from '../../platform/texts.ts';
import { UDP_MAX_PORTS } from './contract.ts';

/** A port that is heard. */
export interface UdpPort {
  /** Sends one datagram from this port; a broadcast to all goes out of each interface. */
  send(bytes: Uint8Array, port: number, host: string): Promise<void>;
  /** Joins a multicast group on every network that takes it. Failures are exceptions with a `code` such as ENODEV. */
  join(group: string): void;
  /** Resolves once the port is free again. */
  close(): Promise<void>;
}

/** Sends datagrams from one socket and hears others. Failures are exceptions with a `code` such as ENETUNREACH. */
export interface UdpDriver {
  readonly name: string;
  /** Sends one datagram; broadcast and multicast addresses too. */
  send(bytes: Uint8Array, port: number, host: string): Promise<void>;
  /** Opens a port for this alone, on every network; EADDRINUSE when another program or part has it. */
  listen(port: number, onDatagram: (bytes: Uint8Array, host: string) => void): Promise<UdpPort>;
  /** The networks this machine is on now. */
  localNetworks(): readonly LocalNetwork[];
  stop(): Promise<void>;
}

/** A UDP socket of the system on a port of every network, for Node to take over by its descriptor. */
export interface PortSocket {
  readonly fd: number;
  /**
   * Sends one datagram from an address of this machine and out of its interface, also a broadcast, at once or not at all.
   * @throws an errno exception
   */
  sendFrom(own: string, bytes: Uint8Array, to: { readonly address: string; readonly port: number }): void;
  /** Where Node does not take it. */
  close(): void;
}

/** Datagrams of one port that are delivered in a second. */
const MOST_A_SECOND = 1_000;
/** Characters of events that may wait for one holder who reads slowly. */
const MOST_WAITING = 256 * 1024;
/** Characters of an event around its hex. */
const EVENT_LENGTH = 100;
/** Multicast groups of one port; the kernel takes 20 (igmp_max_memberships). */
const MOST_GROUPS = 16;

export interface ListenersOptions {
  readonly driver: UdpDriver;
  readonly events: EventBus;
  readonly holders: ResourceScopes;
  /** Ports of the panel's own servers. */
  ownPorts(): readonly number[];
  readonly clock: Clock;
  readonly log: Logger;
}

interface Heard {
  readonly socket: UdpPort;
  readonly groups: Set<string>;
  readonly rate: RateLimit;
  /** Who hears it, and what forgets that. */
  readonly holders: Map<object, () => void>;
}

/** The ports that pages and callers listen to. A port is open once for all listeners, and closed without any. */
export class UdpListeners {
  readonly #options: ListenersOptions;
  readonly #ports = new Map<number, Heard>();
  /** Characters that wait, by holder. */
  readonly #waiting = new WeakMap<object, number>();
  /** Ports are opened and closed one after the other. */
  readonly #turns = new CallQueue();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** @throws FaceplateError FORBIDDEN (a port of ours), CONFLICT (the ninth port), PORT_BUSY, HARDWARE_ERROR */
  add(holder: object, port: number, group: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#options.ownPorts().includes(port))
      throw new FaceplateError('FORBIDDEN', `Port ${port} belongs to the panel itself.`);
    return this.#turns.run(signal, async () => {
      const known = this.#ports.get(port);
      if (known === undefined && this.#ports.size >= UDP_MAX_PORTS)
        throw new FaceplateError('CONFLICT', `At most ${UDP_MAX_PORTS} UDP ports can be heard at one time.`);
      const heard = known ?? (await this.#open(port));
      try {
        if (group !== undefined) this.#join(heard, group);
        const { holders } = this.#options;
        if (heard.holders.has(holder)) holders.touch(holder);
        else
          heard.holders.set(
            holder,
            holders.hold(holder, () => void this.remove(holder, port)),
          );
      } finally {
        await this.#closeIfUnheard(port, heard);
      }
    });
  }

  /** A port that the holder hears. @throws FaceplateError NOT_FOUND */
  of(holder: object, port: number): UdpPort {
    const heard = this.#ports.get(port);
    if (heard === undefined || !heard.holders.has(holder))
      throw new FaceplateError('NOT_FOUND', `You do not hear port ${port}: call udp.listen first.`, {
        field: 'from',
      });
    this.#options.holders.touch(holder);
    return heard.socket;
  }

  /** A port that the holder does not hear is no mistake. */
  remove(holder: object, port: number): Promise<void> {
    return this.#turns.run(new AbortController().signal, async () => {
      const heard = this.#ports.get(port);
      if (heard === undefined) return;
      heard.holders.get(holder)?.();
      heard.holders.delete(holder);
      await this.#closeIfUnheard(port, heard);
    });
  }

  /** Closes all ports. */
  async stop(): Promise<void> {
    await this.#turns.run(new AbortController().signal, async () => {
      for (const [port, heard] of [...this.#ports]) {
        for (const forget of heard.holders.values()) forget();
        heard.holders.clear();
        await this.#closeIfUnheard(port, heard);
      }
    });
  }

  async #open(port: number): Promise<Heard> {
    const { driver, clock, log } = this.#options;
    const heard: Omit<Heard, 'socket'> = {
      groups: new Set(),
      holders: new Map(),
      rate: new RateLimit({
        clock,
        limit: MOST_A_SECOND,
        windowMs: 1_000,
        onDropped: (dropped) =>
          log.warn({ port, dropped }, 'udp: too many datagrams in a second, some dropped'),
      }),
    };
    try {
      const socket = await driver.listen(port, (bytes, host) => this.#tell(port, heard, bytes, host));
      const opened = { ...heard, socket };
      this.#ports.set(port, opened);
      return opened;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'EADDRINUSE')
        throw new FaceplateError('PORT_BUSY', `UDP port ${port} is in use by another program.`);
      throw failure(error, `UDP port ${port} cannot be heard`);
    }
  }

  #join({ socket, groups }: Heard, group: string): void {
    if (groups.has(group)) return;
    if (groups.size >= MOST_GROUPS)
      throw new FaceplateError('CONFLICT', `A port takes at most ${MOST_GROUPS} groups.`);
    try {
      socket.join(group);
    } catch (error) {
      throw failure(error, `The group ${group} cannot be joined`);
    }
    groups.add(group);
  }

  async #closeIfUnheard(port: number, heard: Heard): Promise<void> {
    if (heard.holders.size > 0 || this.#ports.get(port) !== heard) return;
    this.#ports.delete(port);
    heard.rate.stop();
    await heard.socket.close();
  }

  /** Tells each holder, but for those who have too much to read already: the others do not wait for them. */
  #tell(port: number, { holders, rate }: Omit<Heard, 'socket'>, bytes: Uint8Array, host: string): void {
    if (!rate.take()) return;
    const event = { port, host, hex: upperHex(bytes) };
    const length = event.hex.length + EVENT_LENGTH;
    for (const holder of holders.keys()) {
      const waiting = this.#waiting.get(holder) ?? 0;
      if (waiting + length > MOST_WAITING) continue;
      const taken = this.#options.events.emitTo(holder, 'udp', event);
      if (taken === undefined) continue;
      this.#waiting.set(holder, waiting + length);
      void taken.then(() => this.#waiting.set(holder, this.#waiting.get(holder)! - length));
    }
  }
}

function failure(error: unknown, what: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  return new FaceplateError('HARDWARE_ERROR', `${what}: ${errnoWords(errno)}.`, { cause: error });
}
