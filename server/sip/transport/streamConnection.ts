import type { Socket } from 'node:net';
import type { Clock } from '../../observe/clock.ts';
import { StreamFramer } from '../message/framer.ts';
import type { Parsed } from '../message/parse.ts';
import { type Protocol, plainAddress, type Source } from './hop.ts';

/** How long a connection without traffic is kept that no call holds, in milliseconds. */
const IDLE_MS = 10 * 60_000;
/** How long a message may take from its first byte to its last. */
const MESSAGE_MS = 30_000;
/** RFC 5626 section 4.4.1: how long the answer to a ping may take. */
const PONG_MS = 10_000;
/** Bytes that may wait for a far end that does not read. */
const MAX_WAITING = 1024 * 1024;

export interface ConnectionEvents {
  onMessage(message: Parsed, source: Source): void;
  /** Told once. */
  onClosed(connection: StreamConnection): void;
}

/** One TCP or TLS connection, whoever opened it. */
export class StreamConnection {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  /** Opened by us, the far end's certificate judged: only then may requests to its address go this way unasked. */
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

  constructor(protocol: Protocol, socket: Socket, isOurs: boolean, clock: Clock, events: ConnectionEvents) {
    this.protocol = protocol;
    this.isOurs = isOurs;
    this.host = plainAddress(socket.remoteAddress ?? '');
    this.port = socket.remotePort ?? 0;
    this.#socket = socket;
    this.#clock = clock;
    const source: Source = { protocol, host: this.host, port: this.port, connection: this };
    this.#framer = new StreamFramer({
      onMessage: (message) => events.onMessage(message, source),
      onMalformed: (message) => events.onMessage(message, source),
      onPing: () => this.#socket.write('\r\n'),
      onPong: () => {
        this.#answersPings = true;
        this.#cancelPong?.();
        this.#cancelPong = undefined;
      },
      onLost: () => this.close(),
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

  /** @returns false where the connection is gone, or its far end reads nothing. */
  send(data: Buffer): boolean {
    if (!this.#isOpen) return false;
    if (this.#socket.writableLength > MAX_WAITING) {
      this.close();
      return false;
    }
    this.#restartIdle();
    this.#socket.write(data);
    return true;
  }

  /** RFC 5626 section 4.4.1. A far end that has answered once has to go on doing so. */
  ping(): void {
    if (!this.send(Buffer.from('\r\n\r\n')) || !this.#answersPings) return;
    this.#cancelPong ??= this.#clock.after(PONG_MS, () => this.close());
  }

  /** Keeps it although nothing passes. @returns the function that ends that */
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

  /** Sends what waits, if that is quickly done, and ends. */
  close(): void {
    if (!this.#isOpen) return;
    this.#release();
    this.#socket.end(() => this.#socket.destroy());
    this.#clock.after(500, () => this.#socket.destroy());
  }

  destroy(): void {
    this.#release();
    this.#socket.destroy();
  }

  #onData(data: Buffer): void {
    if (!this.#isOpen) return;
    this.#restartIdle();
    this.#framer.push(data);
    if (this.#framer.buffered === 0) {
      this.#cancelMessage?.();
      this.#cancelMessage = undefined;
    } else if (this.#isOpen) this.#cancelMessage ??= this.#clock.after(MESSAGE_MS, () => this.close());
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
  }
}
