import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { backgroundClock, type Clock } from '../clock.ts';
import { networkOf } from './addresses.ts';

interface Limits {
  /** Connections at one time. */
  readonly most: number;
  /** Of these, for one address, or one /64 of IPv6. Without it one may have them all. */
  readonly mostOfOne?: number;
  /** Of these, reserved for this machine itself. */
  readonly kept?: number;
}

/** This machine itself has no limit of its own: the kiosk, and tools that somebody at the panel runs. */
const SELF: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** Counts the connections of one server, or of several that share their limits. One more is closed at once. */
export class OpenConnections {
  readonly #limits: Limits;
  readonly #open = new Set<Socket>();
  /** Of strangers, by address. */
  readonly #strangers = new Map<string, number>();
  #strangersInAll = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Takes each connection of a server. Failing to accept one, such as without a descriptor, costs only that one. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.take(socket));
    server.on('error', () => {});
  }

  /** Counts a new connection until it is closed. @returns false when it is one too many: it is closed then */
  take(socket: Socket): boolean {
    const { most, mostOfOne = most, kept = 0 } = this.#limits;
    const from = networkOf(socket.remoteAddress ?? '');
    const isStranger = !SELF.has(from);
    const ofOne = this.#strangers.get(from) ?? 0;
    if (
      this.#open.size >= most ||
      (isStranger && (ofOne >= mostOfOne || this.#strangersInAll >= most - kept))
    ) {
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    if (isStranger) this.#countStranger(from, 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (isStranger) this.#countStranger(from, -1);
    });
    return true;
  }

  /** Connections that are open now. */
  get count(): number {
    return this.#open.size;
  }

  /** Cuts every connection. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #countStranger(from: string, change: 1 | -1): void {
    const count = (this.#strangers.get(from) ?? 0) + change;
    if (count === 0) this.#strangers.delete(from);
    else this.#strangers.set(from, count);
    this.#strangersInAll += change;
  }
}

/** How long a peer may take to end its side, in milliseconds. */
export const END_MS = 2_000;

/**
 * Ends a socket: what waits is sent, then the connection is cut unless the peer closes it first. A peer that never does
 * would keep the descriptor for ever: no timer of the kernel ends a connection that a process holds.
 * @param last sent before the end
 */
export function endSocket(socket: Duplex, last?: string | Buffer, clock: Clock = backgroundClock): void {
  if (last === undefined) socket.end();
  else socket.end(last);
  if (socket.destroyed) return;
  const cancel = clock.after(END_MS, () => socket.destroy());
  socket.once('close', cancel);
  // The peer's end is heard only where somebody reads.
  socket.resume();
}
