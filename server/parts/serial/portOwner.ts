import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue, doubled, pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { Device } from '../device.ts';
import type { SerialPortState } from './contract.ts';
import { areSame, EchoFilter, type LineSettings, type SerialDriver, type SerialLine } from './driver.ts';
import { busyError, ExclusiveLine, lostError, type Use } from './exclusiveLine.ts';
import { type Call, type Reader, Readers, type Wanted } from './readers.ts';
import type { PortTraffic } from './serialMonitor.ts';

/** First and longest pause (milliseconds) between attempts to open a lost port; it doubles in between. */
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;
/** How long a port stays with Modbus after its last request, in milliseconds. */
const ALONE_KEPT_MS = 5_000;

interface PortOptions {
  /** The name callers use. */
  readonly port: string;
  readonly driver: SerialDriver;
  /** Whether the line brings back what is sent. */
  readonly dropEcho: boolean;
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
  readonly #echo: EchoFilter | undefined;
  readonly #traffic: PortTraffic;
  #stopping = new AbortController();
  #state: SerialPortState['state'] = 'closed';
  /** The system error that the port was lost with. */
  #lostErrno = '';
  #line: SerialLine | undefined;
  #settings: LineSettings | undefined;
  #use: Use = 'bytes';
  /** What uses the line alone now. */
  #alone: ExclusiveLine | undefined;
  #cancelKept = (): void => undefined;
  /** Counts lines, so that an old line is ignored. */
  #generation = 0;
  #cancelRetry = (): void => undefined;
  #reopening: Promise<void> | undefined;
  /** Resolves when the previous line is closed: until then its lock would refuse the next one. */
  #released: Promise<unknown> | undefined;

  constructor({ port, driver, dropEcho, events, log, clock, traffic }: PortOptions) {
    this.#port = port;
    this.#driver = driver;
    this.#echo = dropEcho ? new EchoFilter() : undefined;
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
      await pause(milliseconds, this.#clock, signal);
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
      if (bytes.length === 0 && this.#isLost()) throw lostError(this.#port, this.#lostErrno);
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
  alone<T>(
    settings: LineSettings,
    caller: AbortSignal,
    work: (line: ExclusiveLine) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.any([caller, this.#stopping.signal]);
    return this.#queue.run(signal, async () => {
      this.#cancelKept();
      try {
        const line = await this.#openAt(settings, 'modbus');
        const alone = new ExclusiveLine(signal, (bytes, until) => this.#send(line, bytes, until));
        this.#alone = alone;
        signal.throwIfAborted();
        return await work(alone);
      } finally {
        this.#alone = undefined;
        this.#keepForModbus();
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
    if (this.#isTaken() && this.#use !== use) throw busyError(this.#port, this.#use);
    if (this.#isLost()) throw lostError(this.#port, this.#lostErrno);
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

  /** Closes the port once Modbus has been silent for long enough. */
  #keepForModbus(): void {
    const { signal } = this.#stopping;
    if (this.#use !== 'modbus' || !this.#isTaken() || signal.aborted) return;
    const leave = async () => {
      if (this.#use === 'modbus') await this.#shut();
    };
    this.#cancelKept = this.#clock.after(ALONE_KEPT_MS, () => {
      void this.#queue.run(signal, leave).catch(() => undefined);
    });
  }

  async #open(settings: LineSettings): Promise<SerialLine> {
    const generation = ++this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.#settings = settings;
    await this.#released;
    this.#readers.clear();
    this.#echo?.clear();
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
      throw this.#isLost() ? lostError(this.#port, this.#lostErrno) : new FaceplateError('SHUTTING_DOWN');
    }
    this.#line = line;
    this.#become('open');
    return line;
  }

  async #send(line: SerialLine, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#traffic.sent(bytes);
    const left = this.#echo?.sent(bytes, this.#clock.now());
    const giveUp = () => void this.#shut();
    await withGrace(signal, this.#clock, giveUp, () => this.#part.use(() => line.write(bytes)));
    left?.(this.#clock.now());
  }

  #arrived(heard: Uint8Array): void {
    const bytes = this.#echo?.heard(heard) ?? heard;
    if (bytes.length === 0) return;
    this.#traffic.received(bytes);
    if (this.#use === 'bytes') this.#readers.arrived(bytes);
    else this.#alone?.arrived(bytes);
  }

  #lost(error: Error): void {
    this.#generation++;
    this.#line = undefined;
    this.#lostErrno = errnoOf(error) ?? 'unknown error';
    this.#log.warn({ port: this.#port, err: error }, 'serial: port lost, waiting for it to come back');
    this.#become('lost');
    this.#alone?.lost(lostError(this.#port, this.#lostErrno));
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
      this.#log.info({ port: this.#port }, 'serial: port is back');
    } catch (error) {
      // Of an earlier generation: it was closed, stopped or lost again meanwhile, and that is handled elsewhere.
      if (generation !== this.#generation) return;
      this.#log.debug({ port: this.#port, err: error }, 'serial: port is not back yet');
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

  #isTaken(): boolean {
    return this.#line !== undefined || this.#isLost();
  }

  #isLost(): boolean {
    return this.#state === 'lost';
  }
}

/** How long a write may go on for a caller who is gone, in milliseconds. */
const WRITE_GRACE_MS = 2_000;

/** Waits for `work`. When the caller is gone for 2 s and it still runs, `giveUp` is called to end it. */
async function withGrace<T>(
  caller: AbortSignal,
  clock: Clock,
  giveUp: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let cancel = (): void => undefined;
  const callerGone = () => {
    cancel = clock.after(WRITE_GRACE_MS, giveUp);
  };
  caller.addEventListener('abort', callerGone, { once: true });
  try {
    return await work();
  } finally {
    cancel();
    caller.removeEventListener('abort', callerGone);
  }
}
