import { FaceplateError } from '../../contract/errors.ts';
import type { SerialPortState } from '../../contract/serial.ts';
import type { PartInfo } from '../../contract/system.ts';
import { doubled } from '../../platform/backoff.ts';
import { CallQueue } from '../../platform/callQueue.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { Device } from '../device.ts';
import type { SerialDriver, SerialLine } from './driver.ts';
import { ReceiveBuffer } from './receiveBuffer.ts';

/** Bytes that are kept between reads. */
const RECEIVE_LIMIT = 64 * 1024;
/** Milliseconds without a byte after which a read is complete. */
const IDLE_GAP_MS = 20;
/** A wait that ends later than this (milliseconds) means that the event loop was blocked, not the line. */
const STALL_MS = 5;
/** How long a write may go on for a caller who is gone, in milliseconds; then the port is closed to free it. */
const WRITE_GRACE_MS = 2_000;
/** First and longest pause (milliseconds) between attempts to open a lost port; it doubles in between. */
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;

interface PortOptions {
  /** The name callers use. */
  readonly port: string;
  readonly driver: SerialDriver;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock: Clock;
}

/**
 * The one owner of a serial port: opens it on first use, keeps it open, buffers incoming bytes, and serves calls in
 * order.
 */
export class PortOwner {
  readonly #port: string;
  readonly #driver: SerialDriver;
  readonly #part: Device<SerialDriver>;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #queue = new CallQueue();
  readonly #received = new ReceiveBuffer(RECEIVE_LIMIT);
  #stopping = new AbortController();
  #state: SerialPortState['state'] = 'closed';
  /** The system error that the port was lost with. */
  #lostErrno = '';
  #line: SerialLine | undefined;
  #baudRate = 0;
  /** Counts lines, so that an old line is ignored. */
  #generation = 0;
  #lastByteAt = 0;
  #wakeReader = (): void => undefined;
  #cancelRetry = (): void => undefined;
  #reopening: Promise<void> | undefined;
  /** Resolves when the previous line is closed: until then its lock would refuse the next one. */
  #released: Promise<unknown> | undefined;

  constructor({ port, driver, events, log, clock }: PortOptions) {
    this.#port = port;
    this.#driver = driver;
    this.#part = new Device(`serial port ${port}`, driver, log, 'PORT_BUSY');
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    await this.#part.start();
  }

  /** Ends waiting calls with SHUTTING_DOWN and closes the port. */
  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    await this.#shut();
    await this.#queue.idle();
    await this.#part.stop();
  }

  info(): PartInfo {
    return this.#part.info();
  }

  state(): SerialPortState {
    return { port: this.#port, state: this.#state };
  }

  /** Sends and resolves when the bytes have left the port. */
  write(bytes: Uint8Array, baudRate: number, caller: AbortSignal): Promise<void> {
    return this.#inTurn(caller, async (signal) => {
      const line = await this.#openAt(baudRate);
      signal.throwIfAborted();
      await this.#send(line, bytes, signal);
    });
  }

  /** Resolves 20 ms after the last byte, or after `timeout` milliseconds with what is there by then. */
  read(baudRate: number, timeout: number, caller: AbortSignal): Promise<Uint8Array> {
    return this.#inTurn(caller, async (signal) => {
      await this.#openAt(baudRate);
      return this.#receive(timeout, signal);
    });
  }

  close(caller: AbortSignal): Promise<void> {
    return this.#inTurn(caller, () => this.#shut());
  }

  /** The simulated peer sends. @throws FaceplateError UNSUPPORTED_HARDWARE when the port is real */
  simulate(bytes: Uint8Array): void {
    if (!this.#driver.peerSends) {
      const sentence = `The serial port ${this.#port} is real: nothing to simulate.`;
      throw new FaceplateError('UNSUPPORTED_HARDWARE', sentence);
    }
    this.#driver.peerSends(bytes);
  }

  #inTurn<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([caller, this.#stopping.signal]);
    return this.#queue.run(signal, () => work(signal));
  }

  async #openAt(baudRate: number): Promise<SerialLine> {
    if (this.#isLost()) throw this.#lostError();
    if (this.#line && this.#baudRate === baudRate) return this.#line;
    await this.#line?.close();
    this.#line = undefined;
    try {
      return await this.#open(baudRate);
    } catch (error) {
      if (!this.#isLost()) this.#become('closed');
      throw error;
    }
  }

  async #open(baudRate: number): Promise<SerialLine> {
    const generation = ++this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.#baudRate = baudRate;
    await this.#released;
    this.#received.clear();
    const line = await this.#part.use((driver) =>
      driver.open(baudRate, {
        onData: (bytes) => {
          if (isCurrent()) this.#arrived(bytes);
        },
        onLost: (error) => {
          if (isCurrent()) this.#lost(error);
        },
      }),
    );
    if (!isCurrent()) {
      await line.close();
      throw this.#isLost() ? this.#lostError() : new FaceplateError('SHUTTING_DOWN');
    }
    this.#line = line;
    this.#become('open');
    return line;
  }

  async #send(line: SerialLine, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let cancel = (): void => undefined;
    const callerGone = () => {
      cancel = this.#clock.after(WRITE_GRACE_MS, () => void this.#shut());
    };
    signal.addEventListener('abort', callerGone, { once: true });
    try {
      await this.#part.use(() => line.write(bytes));
    } finally {
      cancel();
      signal.removeEventListener('abort', callerGone);
    }
  }

  async #receive(timeout: number, signal: AbortSignal): Promise<Uint8Array> {
    const deadline = this.#clock.now() + timeout;
    for (;;) {
      signal.throwIfAborted();
      if (this.#received.length === 0 && this.#isLost()) throw this.#lostError();
      const gapEnd = this.#lastByteAt + IDLE_GAP_MS;
      const until = this.#received.length === 0 || this.#isLost() ? deadline : Math.min(deadline, gapEnd);
      if (this.#isLost() || this.#clock.now() >= until) return this.#received.take();
      await this.#arrivalOr(until, signal);
      // While the event loop was blocked nothing could be read: waiting bytes must not be cut off from their frame.
      if (until === gapEnd && this.#clock.now() > gapEnd + STALL_MS) this.#lastByteAt = this.#clock.now();
    }
  }

  /** Waits for bytes, the loss of the line, the caller's end, or the time `until`. */
  #arrivalOr(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        this.#wakeReader = () => undefined;
        resolve();
      };
      const cancel = this.#clock.after(until - this.#clock.now(), done);
      signal.addEventListener('abort', done, { once: true });
      this.#wakeReader = done;
    });
  }

  #arrived(bytes: Uint8Array): void {
    this.#received.push(bytes);
    this.#lastByteAt = this.#clock.now();
    this.#wakeReader();
  }

  #lost(error: Error): void {
    this.#generation++;
    this.#line = undefined;
    this.#lostErrno = errnoOf(error) ?? 'unknown error';
    this.#log.warn(
      { port: this.#port, err: error },
      'serial port lost; Faceplate opens it again when it is back',
    );
    this.#become('lost');
    this.#wakeReader();
    this.#retry(0);
  }

  #retry(failures: number): void {
    this.#cancelRetry = this.#clock.after(doubled(failures, RETRY_FIRST_MS, RETRY_MAX_MS), () => {
      this.#reopening = this.#reopen(failures);
    });
  }

  async #reopen(failures: number): Promise<void> {
    const generation = this.#generation + 1;
    try {
      await this.#open(this.#baudRate);
      this.#log.info({ port: this.#port }, 'serial port is back');
    } catch (error) {
      // Of an earlier generation: it was closed, stopped or lost again meanwhile, and that is handled elsewhere.
      if (generation !== this.#generation) return;
      this.#log.debug({ port: this.#port, err: error }, 'serial port is not back yet');
      this.#retry(failures + 1);
    }
  }

  async #shut(): Promise<void> {
    this.#generation++;
    const line = this.#line;
    this.#line = undefined;
    this.#cancelRetry();
    this.#released = Promise.all([this.#released, this.#reopening, line?.close()]);
    await this.#released;
    this.#become('closed');
  }

  #become(state: SerialPortState['state']): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#events.emit('serial', this.state());
  }

  #isLost(): boolean {
    return this.#state === 'lost';
  }

  #lostError(): FaceplateError {
    return new FaceplateError(
      'HARDWARE_ERROR',
      `The serial port ${this.#port} is gone (${this.#lostErrno}, unplugged?); it is opened again when it is back.`,
    );
  }
}
