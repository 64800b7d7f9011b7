import { connect, type Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { isAnswer, LAST_READING, type Request } from './pdu.ts';

/** Requests that may wait for one device. */
const MOST_WAITING = 64;
/** How long a connection without requests stays open, in milliseconds: devices have few of them. */
const KEPT_MS = 10_000;

/** How a request ended: with an answer, without one in time, or before that. */
type Outcome = TcpAnswer | 'silent' | 'closed' | 'ended';

/** Most devices answer before this, in milliseconds; only for the others is the caller watched. */
const SOON_MS = 20;

/** A device on the network, by an address that was judged. */
interface TcpTarget {
  readonly address: string;
  readonly port: number;
}

/** The master of one device on the network: one connection, one request at a time. */
export class TcpMaster {
  readonly #network: ModbusNetwork;
  readonly #clock: Clock;
  readonly #target: TcpTarget;
  /** Resolves when the request before has ended. */
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #connection: Connection | undefined;
  /** What the last connection ended with. */
  #failure: Error | undefined;
  #transaction = 0;
  /** Ends the request that waits for its answer. */
  #awaited: ((outcome: Outcome) => void) | undefined;
  readonly #ended = new AbortController();
  #usedAt = 0;
  #cancelKept = (): void => undefined;

  constructor(network: ModbusNetwork, clock: Clock, target: TcpTarget) {
    this.#network = network;
    this.#clock = clock;
    this.#target = target;
  }

  /** Whether no request waits or runs. */
  get isFree(): boolean {
    return this.#waiting === 0;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Ends all requests with the error and closes the connection; it is of no use after that. */
  async stop(error: FaceplateError): Promise<void> {
    this.#ended.abort(error);
    this.#awaited?.('ended');
    await this.#turn;
    this.#close();
  }

  /**
   * @returns the PDU of the answer
   * @throws FaceplateError HARDWARE_TIMEOUT, HARDWARE_ERROR (unreachable, closed, no valid answer), CONFLICT (too many
   * wait)
   */
  async ask(unit: number, request: Request, timeoutMs: number, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#waiting >= MOST_WAITING)
      throw new FaceplateError('CONFLICT', `${MOST_WAITING} Modbus requests wait for ${this.#name} already.`);
    const { promise, resolve: done } = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = promise;
    try {
      if (++this.#waiting > 1) await before;
      return await this.#exchange(unit, request, timeoutMs, signal);
    } finally {
      this.#waiting--;
      this.#usedAt = this.#clock.now();
      done();
    }
  }

  async #exchange(
    unit: number,
    request: Request,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const until = this.#clock.now() + timeoutMs;
    let isKept = this.isConnected;
    for (;;) {
      this.#throwIfEnded(signal);
      const connection = this.#connection ?? (await this.#connect(timeoutMs, signal));
      this.#throwIfEnded(signal);
      const outcome = await this.#answer(connection, unit, request, until, signal);
      this.#throwIfEnded(signal);
      if (outcome === 'silent') throw this.#silence(timeoutMs);
      if (typeof outcome !== 'string') return this.#judged(outcome, unit, request);
      // The device had closed an idle connection. A request that only reads is sent again.
      if (!isKept || request.pdu[0]! > LAST_READING) throw this.#broken(this.#failure);
      isKept = false;
    }
  }

  #answer(
    connection: Connection,
    unit: number,
    request: Request,
    until: number,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      let isWatched = false;
      const end = (outcome: Outcome) => {
        cancel();
        if (isWatched) signal.removeEventListener('abort', gone);
        this.#awaited = undefined;
        resolve(outcome);
      };
      const gone = () => end('ended');
      const left = () => Math.max(0, until - this.#clock.now());
      let cancel = this.#clock.after(Math.min(left(), SOON_MS), () => {
        if (signal.aborted) return end('ended');
        isWatched = true;
        signal.addEventListener('abort', gone, { once: true });
        cancel = this.#clock.after(left(), () => end('silent'));
      });
      this.#awaited = end;
      // It was closed between the two: nothing will say so once more.
      if (connection !== this.#connection) return end('closed');
      this.#transaction = (this.#transaction + 1) & 0xffff;
      connection.write(tcpFrame(this.#transaction, unit, request.pdu));
    });
  }

  async #connect(timeoutMs: number, signal: AbortSignal): Promise<Connection> {
    const late = new AbortController();
    const cancel = this.#clock.after(timeoutMs, () => late.abort(this.#silence(timeoutMs)));
    const frames = new TcpFrames();
    let connection: Connection | undefined;
    let hasEnded = false;
    const ended = (error?: Error) => {
      hasEnded = true;
      this.#failure = error;
      if (this.#connection === connection) this.#close();
      this.#awaited?.('closed');
    };
    const onData = (bytes: Uint8Array) => {
      const answers = frames.push(bytes);
      // What is late belongs to an earlier request: its number says so.
      const answer = answers?.find(({ transaction }) => transaction === this.#transaction);
      if (answers === null)
        ended(new FaceplateError('HARDWARE_ERROR', `${this.#name} does not speak Modbus TCP.`));
      else if (answer) this.#awaited?.(answer);
    };
    try {
      const ends = AbortSignal.any([signal, this.#ended.signal, late.signal]);
      const { address, port } = this.#target;
      connection = await this.#network.connect(address, port, { onData, onClosed: ended }, ends);
    } catch (error) {
      throw errnoOf(error) === undefined ? error : this.#broken(error as Error);
    } finally {
      cancel();
    }
    if (hasEnded) throw this.#broken(this.#failure);
    this.#connection = connection;
    this.#usedAt = this.#clock.now();
    this.#closeWhenUnused();
    return connection;
  }

  /** One timer for all requests: setting one for each would cost as much as asking. */
  #closeWhenUnused(): void {
    const left = this.#usedAt + KEPT_MS - this.#clock.now();
    if (this.isFree && left <= 0) this.#close();
    else this.#cancelKept = this.#clock.after(left > 0 ? left : KEPT_MS, () => this.#closeWhenUnused());
  }

  #close(): void {
    this.#cancelKept();
    this.#connection?.close();
    this.#connection = undefined;
  }

  #throwIfEnded(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#ended.signal.throwIfAborted();
  }

  #judged({ unit: from, pdu }: TcpAnswer, unit: number, request: Request): Uint8Array {
    if (from !== unit) throw this.#invalid(`unit ${from} answered instead of unit ${unit}`);
    if (!isAnswer(request, pdu)) throw this.#invalid('it does not fit the request');
    return pdu;
  }

  #invalid(why: string): FaceplateError {
    return new FaceplateError('HARDWARE_ERROR', `${this.#name} gave no valid answer: ${why}.`);
  }

  #silence(timeoutMs: number): FaceplateError {
    return new FaceplateError('HARDWARE_TIMEOUT', `${this.#name} did not answer within ${timeoutMs} ms.`);
  }

  #broken(error: Error | undefined): FaceplateError {
    if (error instanceof FaceplateError) return error;
    const errno = error && errnoOf(error);
    const why = errno === undefined ? 'it closed the connection' : errnoWords(errno);
    return new FaceplateError('HARDWARE_ERROR', `${this.#name} cannot be asked: ${why}.`, { cause: error });
  }

  get #name(): string {
    return `${this.#target.address}:${this.#target.port}`;
  }
}

/** Bytes before the PDU (Modbus on TCP/IP 1.0b, 3.1.3): transaction, protocol, length, unit. */
const HEADER = 7;
/** Longest frame. */
const LONGEST = 260;
const NOTHING = new Uint8Array(0);

interface TcpAnswer {
  readonly transaction: number;
  readonly unit: number;
  readonly pdu: Uint8Array;
}

/** The frame of a request. */
export function tcpFrame(transaction: number, unit: number, pdu: Uint8Array): Uint8Array {
  // From the pool: what a socket sends is outside the heap anyway.
  const frame = Buffer.allocUnsafe(HEADER + pdu.length);
  frame[0] = transaction >> 8;
  frame[1] = transaction;
  frame[2] = 0;
  frame[3] = 0;
  frame[4] = (pdu.length + 1) >> 8;
  frame[5] = pdu.length + 1;
  frame[6] = unit;
  frame.set(pdu, HEADER);
  return frame;
}

/** Makes frames of what a connection brings. */
export class TcpFrames {
  #bytes = NOTHING;

  /** @returns the frames that are whole now; null when this is not Modbus: nothing that follows can be read either */
  push(bytes: Uint8Array): TcpAnswer[] | null {
    const all = this.#bytes.length === 0 ? bytes : Uint8Array.of(...this.#bytes, ...bytes);
    const answers: TcpAnswer[] = [];
    let start = 0;
    while (start + HEADER <= all.length) {
      const length = word(all, start + 4);
      const end = start + HEADER - 1 + length;
      if (word(all, start + 2) !== 0 || length < 3 || end - start > LONGEST) return null;
      if (all.length < end) break;
      const pdu = all.subarray(start + HEADER, end);
      answers.push({ transaction: word(all, start), unit: all[start + 6]!, pdu });
      start = end;
    }
    this.#bytes = start === all.length ? NOTHING : Uint8Array.from(all.subarray(start));
    return answers;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** Reports of an open connection. `onClosed` comes once, and nothing after it. */
interface ConnectionListener {
  onData(bytes: Uint8Array): void;
  /** @param error an exception with an errno where it broke */
  onClosed(error?: Error): void;
}

interface Connection {
  write(bytes: Uint8Array): void;
  /** Reports nothing any more. */
  close(): void;
}

/** TCP connections to devices. Failures are exceptions with a `code` such as ECONNREFUSED. */
export interface ModbusNetwork {
  /** @param signal ends the attempt with its reason */
  connect(
    address: string,
    port: number,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<Connection>;
}

/** TCP connections of Node. */
export class TcpSockets implements ModbusNetwork {
  connect(
    address: string,
    port: number,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, noDelay: true });
      const giveUp = () => {
        socket.destroy();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        signal.removeEventListener('abort', giveUp);
        socket.off('error', reject);
        resolve(listen(socket, listener));
      });
      if (signal.aborted) giveUp();
    });
  }
}

function listen(socket: Socket, listener: ConnectionListener): Connection {
  let isOver = false;
  let failure: Error | undefined;
  const over = () => {
    if (isOver) return;
    isOver = true;
    listener.onClosed(failure);
  };
  socket.on('data', (bytes) => {
    if (!isOver) listener.onData(bytes);
  });
  socket.on('error', (error) => {
    failure = error;
  });
  // A device that sends nothing more is of no use.
  socket.on('end', over);
  socket.on('close', over);
  return {
    write: (bytes) => void socket.write(bytes),
    close: () => {
      isOver = true;
      socket.destroy();
    },
  };
}
