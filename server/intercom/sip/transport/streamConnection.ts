import type { Socket } from 'node:net';
import type { Clock } from '../../../platform/clock.ts';
import { plainAddress } from '../../../platform/net/addresses.ts';
import { endSocket } from '../../../platform/net/connections.ts';
import { StreamFramer } from '../message/framer.ts';
import type { Parsed } from '../message/parse.ts';
import type { Protocol } from './protocol.ts';

/** How long an idle connection without a call stays open, in milliseconds. */
const IDLE_MS = 10 * 60_000;
/** Time limit of a message from its first byte to its last, in milliseconds. */
const MESSAGE_MS = 30_000;
/** RFC 5626 section 4.4.1: time limit of the answer to a ping, in milliseconds. */
const PONG_MS = 10_000;
/** Bytes that may wait for a remote party that does not read, before the next message. */
const MAX_WAITING = 64 * 1024;
/** Consecutive pings that may come within a second of the last answered one; they are not answered. */
const MAX_EARLY_PINGS = 10;

/** Most bytes read from a connection per second; the rest waits at the sender. Phones and PBXs send far less. */
const PER_SECOND = { bytes: 128 * 1024, messages: 100 };

interface ConnectionEvents {
  onMessage(message: Parsed, from: StreamConnection): void;
  /** Told once. */
  onClosed(connection: StreamConnection): void;
}

/** One TCP or TLS connection, opened by either end. */
export class StreamConnection {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  /** Opened by us, with the remote party's certificate checked: only then may new requests to its address use it. */
  readonly isOurs: boolean;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #framer: StreamFramer;
  #cancelIdle = (): void => {};
  #cancelMessage: (() => void) | undefined;
  #cancelPong: (() => void) | undefined;
  #holders = 0;
  #isOpen = true;
  #answersPings = false;
  #wasCutOff = false;
  #lastPing = Number.NEGATIVE_INFINITY;
  #earlyPings = 0;
  /** What was received within a second of its first byte. */
  #read = { since: Number.NEGATIVE_INFINITY, bytes: 0, messages: 0 };
  #cancelRest = (): void => {};

  constructor(protocol: Protocol, socket: Socket, isOurs: boolean, clock: Clock, events: ConnectionEvents) {
    this.protocol = protocol;
    this.isOurs = isOurs;
    this.host = plainAddress(socket.remoteAddress ?? '');
    this.port = socket.remotePort ?? 0;
    this.#socket = socket;
    this.#clock = clock;
    this.#framer = new StreamFramer({
      onMessage: (message) => {
        this.#read.messages++;
        events.onMessage(message, this);
      },
      onMalformed: (message) => events.onMessage(message, this),
      onPing: () => this.#onPing(),
      onPong: () => {
        this.#answersPings = true;
        this.#cancelPong?.();
        this.#cancelPong = undefined;
      },
      onLost: () => {
        this.#wasCutOff = true;
        // The answer that names the mistake may still be on its way.
        this.close();
      },
    });
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#onData(data));
    socket.on('error', () => this.close());
    socket.on('close', () => {
      this.#release();
      events.onClosed(this);
    });
    this.#restartIdle();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Ended because the remote party read nothing, flooded us, or sent an unreadable stream. */
  get wasCutOff(): boolean {
    return this.#wasCutOff;
  }

  /**
   * All writes go through here, so that the waiting bytes have one limit.
   * @returns false if the connection is gone, or its remote party reads nothing.
   */
  send(data: Buffer): boolean {
    if (!this.#isOpen) return false;
    if (this.#socket.writableLength > MAX_WAITING) {
      // The waiting bytes would never leave.
      this.#cutOff();
      return false;
    }
    this.#restartIdle();
    this.#socket.write(data);
    return true;
  }

  /** RFC 5626 section 4.4.1. A remote party that has answered once must keep answering. */
  ping(): void {
    if (!this.send(Buffer.from('\r\n\r\n')) || !this.#answersPings) return;
    this.#cancelPong ??= this.#clock.after(PONG_MS, () => this.close());
  }

  /** Keeps the connection open while it is idle. @returns the function that ends this */
  hold(): () => void {
    this.#holders++;
    this.#cancelIdle();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders--;
      this.#restartIdle();
    };
  }

  /** Sends the waiting bytes if that is quick, and ends. */
  close(): void {
    if (!this.#isOpen) return;
    this.#release();
    endSocket(this.#socket, undefined, this.#clock);
  }

  destroy(): void {
    this.#release();
    this.#socket.destroy();
  }

  #cutOff(): void {
    this.#wasCutOff = true;
    this.destroy();
  }

  #onPing(): void {
    const now = this.#clock.now();
    if (now - this.#lastPing >= PING_MS) {
      this.#lastPing = now;
      this.#earlyPings = 0;
      this.send(Buffer.from('\r\n'));
    } else if (++this.#earlyPings > MAX_EARLY_PINGS) this.#cutOff();
  }

  #onData(data: Buffer): void {
    if (!this.#isOpen) return;
    this.#restartIdle();
    const now = this.#clock.now();
    if (now - this.#read.since >= 1_000) this.#read = { since: now, bytes: 0, messages: 0 };
    this.#read.bytes += data.length;
    this.#framer.push(data);
    if (this.#framer.buffered === 0) {
      this.#cancelMessage?.();
      this.#cancelMessage = undefined;
    } else if (this.#isOpen) this.#cancelMessage ??= this.#clock.after(MESSAGE_MS, () => this.close());
    if (this.#isOpen) this.#pace();
  }

  /** A sender above our limit per second has to wait: TCP slows it down. */
  #pace(): void {
    if (this.#read.bytes < PER_SECOND.bytes && this.#read.messages < PER_SECOND.messages) return;
    this.#socket.pause();
    this.#cancelRest = this.#clock.after(1_000, () => {
      this.#read = { since: this.#clock.now(), bytes: 0, messages: 0 };
      this.#socket.resume();
    });
  }

  #restartIdle(): void {
    this.#cancelIdle();
    if (this.#isOpen && this.#holders === 0)
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => this.close());
  }

  #release(): void {
    this.#isOpen = false;
    this.#cancelIdle();
    this.#cancelMessage?.();
    this.#cancelPong?.();
    this.#cancelRest();
  }
}

/**
 * One ping of each sender is answered per this time, in milliseconds; RFC 5626 section 4.4.2 asks for 24 s between two.
 */
const PING_MS = 1_000;
const MAX_PLACES = 1_000;

/**
 * Decides which keepalive pings over UDP are answered: one per second for each sender, with a table of bounded size.
 */
export class PingLimit {
  readonly #clock: Clock;
  readonly #answeredAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one ping. @returns whether it is answered */
  take(host: string, port: number): boolean {
    const place = `${host} ${port}`;
    const now = this.#clock.now();
    if (now - (this.#answeredAt.get(place) ?? Number.NEGATIVE_INFINITY) < PING_MS) return false;
    // Removes the sender that was answered longest ago.
    this.#answeredAt.delete(place);
    this.#answeredAt.set(place, now);
    if (this.#answeredAt.size > MAX_PLACES) this.#answeredAt.delete(this.#answeredAt.keys().next().value!);
    return true;
  }
}
