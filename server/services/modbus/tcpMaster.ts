import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue } from '../../platform/callQueue.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Connection, ModbusNetwork } from './driver.ts';
import { isAnswer, type Request } from './pdu.ts';
import { type TcpAnswer, TcpFrames, tcpFrame } from './tcpFrame.ts';
import { type Deadline, deadline } from './waits.ts';

/** Requests that may wait for one device. */
const MOST_WAITING = 64;
/** How long a connection without requests is kept, in milliseconds: devices have few of them. */
const KEPT_MS = 10_000;

/** A device on the network, by an address that was judged. */
export interface TcpTarget {
  readonly address: string;
  readonly port: number;
  readonly unit: number;
}

/** The master of one device on the network: one connection, one request at a time. */
export class TcpMaster {
  readonly #network: ModbusNetwork;
  readonly #clock: Clock;
  readonly #target: Omit<TcpTarget, 'unit'>;
  readonly #queue = new CallQueue();
  #connection: Connection | undefined;
  #broken: { readonly error: Error | undefined } | undefined;
  #transaction = 0;
  #awaited: { readonly transaction: number; look(): void } | undefined;
  #answer: TcpAnswer | undefined;
  #waiting = 0;
  #cancelKept = (): void => undefined;

  constructor(network: ModbusNetwork, clock: Clock, target: Omit<TcpTarget, 'unit'>) {
    this.#network = network;
    this.#clock = clock;
    this.#target = target;
  }

  /** Whether it has neither a connection nor requests. */
  get isIdle(): boolean {
    return this.#connection === undefined && this.#waiting === 0;
  }

  /** Whether no request waits or goes on. */
  get isFree(): boolean {
    return this.#waiting === 0;
  }

  /** Closes the connection. */
  close(): void {
    this.#cancelKept();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Resolves when no request goes on. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  /**
   * @returns the PDU of the answer
   * @throws FaceplateError HARDWARE_TIMEOUT, HARDWARE_ERROR (unreachable, closed, no valid answer), CONFLICT (too many
   * wait)
   */
  async ask(unit: number, request: Request, timeoutMs: number, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#waiting >= MOST_WAITING)
      throw new FaceplateError('CONFLICT', `${MOST_WAITING} Modbus requests wait for ${this.#name} already.`);
    this.#waiting++;
    try {
      return await this.#queue.run(signal, () => this.#exchange(unit, request, timeoutMs, signal));
    } finally {
      this.#waiting--;
    }
  }

  async #exchange(
    unit: number,
    request: Request,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    this.#cancelKept();
    const wait = deadline(this.#clock, timeoutMs, signal);
    try {
      const wasOpen = this.#connection !== undefined;
      const answer = await this.#once(unit, request, wait, signal);
      if (answer) return answer;
      // The device had closed a connection that was kept. What only reads is asked again.
      if (wasOpen && request.pdu[0]! <= 4) {
        const second = await this.#once(unit, request, wait, signal);
        if (second) return second;
      }
      throw this.#failure(this.#broken?.error);
    } catch (error) {
      signal.throwIfAborted();
      if (!wait.isOver() || error instanceof FaceplateError) throw error;
      throw this.#silence(timeoutMs);
    } finally {
      wait.end();
      this.#awaited = undefined;
      if (this.#connection) this.#cancelKept = this.#clock.after(KEPT_MS, () => this.close());
    }
  }

  /** @returns undefined when the connection ended before the answer */
  async #once(
    unit: number,
    request: Request,
    wait: Deadline,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const connection = this.#connection ?? (await this.#connect(wait, signal));
    const transaction = (this.#transaction + 1) & 0xffff;
    this.#transaction = transaction;
    this.#answer = undefined;
    this.#awaited = { transaction, look: wait.look };
    connection.write(tcpFrame(transaction, unit, request.pdu));
    for (;;) {
      signal.throwIfAborted();
      const answer = this.#answer as TcpAnswer | undefined;
      if (answer) return this.#judged(answer, unit, request);
      if (this.#connection !== connection) return undefined;
      if (wait.isOver()) throw new Error('the device is silent');
      await wait.next();
    }
  }

  async #connect(wait: Deadline, signal: AbortSignal): Promise<Connection> {
    const { address, port } = this.#target;
    const frames = new TcpFrames();
    const attempt = new AbortController();
    let isOpen = true;
    const ended = (error?: Error) => {
      isOpen = false;
      if (this.#connection === connection) this.#connection = undefined;
      this.#broken = { error };
      this.#awaited?.look();
    };
    const listener = {
      onClosed: ended,
      onData: (bytes: Uint8Array) => {
        const answers = frames.push(bytes);
        if (answers === null) {
          connection?.close();
          ended(new FaceplateError('HARDWARE_ERROR', `${this.#name} does not speak Modbus TCP.`));
          return;
        }
        // What is late belongs to an earlier request: its number says so.
        for (const answer of answers)
          if (answer.transaction === this.#awaited?.transaction) this.#answer ??= answer;
        this.#awaited?.look();
      },
    };
    let connection: Connection | undefined;
    const connecting = this.#network.connect(address, port, listener, attempt.signal);
    let isSettled = false;
    connecting
      .catch(() => undefined)
      .finally(() => {
        isSettled = true;
        wait.look();
      });
    while (!isSettled && !wait.isOver()) await wait.next();
    if (!isSettled) attempt.abort(signal.aborted ? signal.reason : new Error('the device is silent'));
    try {
      connection = await connecting;
    } catch (error) {
      throw errnoOf(error) === undefined ? error : this.#failure(error as Error);
    }
    if (isOpen) this.#connection = connection;
    return connection;
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

  #failure(error: Error | undefined): FaceplateError {
    if (error instanceof FaceplateError) return error;
    const errno = error && errnoOf(error);
    const why = errno === undefined ? 'it closed the connection' : errnoWords(errno);
    return new FaceplateError('HARDWARE_ERROR', `${this.#name} cannot be asked: ${why}.`, { cause: error });
  }

  get #name(): string {
    return `${this.#target.address}:${this.#target.port}`;
  }
}
