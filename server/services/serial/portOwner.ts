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
import type { LineSettings, SerialDriver, SerialLine } from './driver.ts';
import { areSame } from './lineSettings.ts';
import { type Reader, Readers, type Wanted } from './readers.ts';
import type { PortTraffic } from './traffic.ts';

/** How long a write may go on for a caller who is gone, in milliseconds; then the port is closed to free it. */
const WRITE_GRACE_MS = 2_000;
/** First and longest pause (milliseconds) between attempts to open a lost port; it doubles in between. */
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;
/** How long a port stays with Modbus after its last request, in milliseconds. */
const ALONE_KEPT_MS = 5_000;

/** Who a port is open for: callers who write and read bytes, or Modbus, which must have the line alone. */
type Use = 'bytes' | 'modbus';

/** Who calls, and when that ends. */
interface Call {
  /** Names the page or the token. */
  readonly reader: string;
  readonly signal: AbortSignal;
}

/** A line that nobody else uses meanwhile. */
export interface LineAlone {
  write(bytes: Uint8Array): Promise<void>;
  /** Told of all bytes that arrive from now on. */
  onData(hear: (bytes: Uint8Array) => void): void;
  /** Aborts when the caller is gone, the line was lost or the service stops. */
  readonly signal: AbortSignal;
}

interface PortOptions {
  /** The name callers use. */
  readonly port: string;
  readonly driver: SerialDriver;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly traffic: PortTraffic;
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
  readonly #readers: Readers;
  readonly #traffic: PortTraffic;
  #stopping = new AbortController();
  #state: SerialPortState['state'] = 'closed';
  /** The system error that the port was lost with. */
  #lostErrno = '';
  #line: SerialLine | undefined;
  #settings: LineSettings | undefined;
  #use: Use = 'bytes';
  /** Who hears what arrives while the line is used alone, and who must know when it is lost. */
  #alone: { hear(bytes: Uint8Array): void; end(error: FaceplateError): void } | undefined;
  #cancelKept = (): void => undefined;
  /** Counts lines, so that an old line is ignored. */
  #generation = 0;
  #cancelRetry = (): void => undefined;
  #reopening: Promise<void> | undefined;
  /** Resolves when the previous line is closed: until then its lock would refuse the next one. */
  #released: Promise<unknown> | undefined;

  constructor({ port, driver, events, log, clock, traffic }: PortOptions) {
    this.#port = port;
    this.#driver = driver;
    this.#part = new Device(`serial port ${port}`, driver, log, 'PORT_BUSY');
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
    this.#readers = new Readers(clock);
    this.#traffic = traffic;
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
  write(bytes: Uint8Array, settings: LineSettings, call: Call): Promise<void> {
    return this.#inTurn(call, async (signal) => {
      const line = await this.#openAt(settings, 'bytes');
      signal.throwIfAborted();
      await this.#send(line, bytes, signal);
    });
  }

  /** Holds the line in the break state for so many milliseconds. */
  sendBreak(milliseconds: number, settings: LineSettings, call: Call): Promise<void> {
    return this.#inTurn(call, async (signal) => {
      const line = await this.#openAt(settings, 'bytes');
      signal.throwIfAborted();
      await this.#part.use(() => line.setBreak(true));
      await this.#pause(milliseconds, signal);
      await this.#part.use(() => line.setBreak(false));
    });
  }

  /** Resolves when what is wanted has come, or after `timeout` milliseconds with what is there by then. */
  read(wanted: Wanted, timeout: number, settings: LineSettings, call: Call): Promise<Uint8Array> {
    return this.#ofReader(call, async (reader, signal) => {
      await this.#queue.run(signal, () => this.#openAt(settings, 'bytes'));
      const generation = this.#generation;
      const isOver = () => generation !== this.#generation;
      const bytes = await this.#readers.receive(reader, { wanted, timeout, signal, isOver });
      if (bytes.length === 0 && this.#isLost()) throw this.#lostError();
      return bytes;
    });
  }

  close(call: Call): Promise<void> {
    return this.#inTurn(call, () => this.#shut());
  }

  /**
   * Has the line alone while `work` runs, and keeps it for Modbus for 5 s after that.
   * @throws FaceplateError PORT_BUSY while the port is open for bytes
   */
  alone<T>(settings: LineSettings, caller: AbortSignal, work: (line: LineAlone) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([caller, this.#stopping.signal]);
    return this.#queue.run(signal, async () => {
      this.#cancelKept();
      try {
        const line = await this.#openAt(settings, 'modbus');
        return await this.#workAlone(line, signal, work);
      } finally {
        this.#alone = undefined;
        if (this.#use === 'modbus') this.#cancelKept = this.#clock.after(ALONE_KEPT_MS, () => this.#leave());
      }
    });
  }

  /** The simulated peer sends. @throws FaceplateError UNSUPPORTED_HARDWARE when the port is real */
  simulate(bytes: Uint8Array): void {
    if (!this.#driver.peerSends) {
      const sentence = `The serial port ${this.#port} is real: nothing to simulate.`;
      throw new FaceplateError('UNSUPPORTED_HARDWARE', sentence);
    }
    this.#driver.peerSends(bytes);
  }

  /** The calls of one reader wait for each other. */
  #ofReader<T>(call: Call, work: (reader: Reader, signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([call.signal, this.#stopping.signal]);
    const reader = this.#readers.of(call.reader);
    reader.calls++;
    return reader.queue.run(signal, () => work(reader, signal)).finally(() => reader.calls--);
  }

  /** What uses the line itself waits for its turn among all callers. */
  #inTurn<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#ofReader(call, (_, signal) => this.#queue.run(signal, () => work(signal)));
  }

  async #openAt(settings: LineSettings, use: Use): Promise<SerialLine> {
    if ((this.#line || this.#isLost()) && this.#use !== use) throw this.#busyError();
    if (this.#isLost()) throw this.#lostError();
    if (this.#line && this.#settings && areSame(this.#settings, settings)) return this.#line;
    await this.#line?.close();
    this.#line = undefined;
    this.#use = use;
    try {
      return await this.#open(settings);
    } catch (error) {
      if (!this.#isLost()) this.#become('closed');
      throw error;
    }
  }

  async #workAlone<T>(
    line: SerialLine,
    caller: AbortSignal,
    work: (line: LineAlone) => Promise<T>,
  ): Promise<T> {
    const ended = new AbortController();
    const signal = AbortSignal.any([caller, ended.signal]);
    let hear: (bytes: Uint8Array) => void = () => undefined;
    this.#alone = { hear: (bytes) => hear(bytes), end: (error) => ended.abort(error) };
    signal.throwIfAborted();
    return work({
      signal,
      write: (bytes) => this.#send(line, bytes, signal),
      onData: (next) => {
        hear = next;
      },
    });
  }

  /** Modbus was silent for long enough. */
  #leave(): void {
    const { signal } = this.#stopping;
    void this.#queue
      .run(signal, async () => {
        if (this.#use === 'modbus') await this.#shut();
      })
      .catch(() => undefined);
  }

  async #open(settings: LineSettings): Promise<SerialLine> {
    const generation = ++this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.#settings = settings;
    await this.#released;
    this.#readers.clear();
    const line = await this.#part.use((driver) =>
      driver.open(settings, {
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
    this.#traffic.sent(bytes);
    try {
      await this.#part.use(() => line.write(bytes));
    } finally {
      cancel();
      signal.removeEventListener('abort', callerGone);
    }
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#clock.after(milliseconds, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #arrived(bytes: Uint8Array): void {
    this.#traffic.received(bytes);
    if (this.#use === 'bytes') this.#readers.arrived(bytes);
    else this.#alone?.hear(bytes);
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
    this.#alone?.end(this.#lostError());
    this.#readers.wake();
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
      if (this.#settings) await this.#open(this.#settings);
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
    this.#cancelKept();
    this.#traffic.flush();
    this.#readers.wake();
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

  #busyError(): FaceplateError {
    const sentence =
      this.#use === 'modbus'
        ? `The serial port ${this.#port} is in use by Modbus: close it with serial/close, or wait until it has been quiet for 5 s.`
        : `The serial port ${this.#port} is open for bytes: close it with serial/close before Modbus uses it.`;
    return new FaceplateError('PORT_BUSY', sentence);
  }

  #lostError(): FaceplateError {
    return new FaceplateError(
      'HARDWARE_ERROR',
      `The serial port ${this.#port} is gone (${this.#lostErrno}, unplugged?); it is opened again when it is back.`,
    );
  }
}
