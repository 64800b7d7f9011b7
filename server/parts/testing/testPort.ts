import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import { FakeWallClock, settled } from '../../testing/fakeClock.ts';
import type { SerialPortState } from '../serial/contract.ts';
import type { SerialDriver } from '../serial/driver.ts';
import { SerialService } from '../serial/service.ts';

export const context = { signal: new AbortController().signal };
export const port = '/dev/ttyS5';

interface Listener {
  onData(bytes: Uint8Array): void;
  onLost(error: Error): void;
}

interface Settings {
  readonly baudRate: number;
  readonly dataBits: number;
  readonly parity: string;
  readonly stopBits: number;
  readonly flowControl: string;
}

interface Line {
  write(bytes: Uint8Array): Promise<void>;
  setBreak(on: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A serial driver whose other end is the test; `calls` records what the service did with it. */
export class FakeTty {
  readonly name = 'fake';
  readonly path = '/dev/ttyS5';
  readonly simulated = false;
  readonly calls: string[] = [];
  startFails: Error | undefined;
  openFails: Error | undefined;
  /** While true writes never end until the line is closed. */
  stuck = false;
  /** While set, opening waits for it. */
  openGate: Promise<void> | undefined;
  listener: Listener | undefined;

  async start(): Promise<void> {
    if (this.startFails) throw this.startFails;
  }

  async stop(): Promise<void> {}

  async open(settings: Settings, listener: Listener): Promise<Line> {
    this.calls.push(`open ${words(settings)}`);
    await this.openGate;
    if (this.openFails) throw this.openFails;
    assert.equal(this.listener, undefined, 'a port is never opened twice');
    this.listener = listener;
    let endWrite = (): void => undefined;
    return {
      write: async (bytes) => {
        this.calls.push(`write ${Buffer.from(bytes).toString('hex')}`);
        if (this.stuck) {
          await new Promise<void>((resolve) => {
            endWrite = resolve;
          });
          throw Object.assign(new Error('closed'), { code: 'EBADF' });
        }
        await new Promise(setImmediate);
      },
      setBreak: async (on) => {
        this.calls.push(`break ${on ? 'begins' : 'ends'}`);
      },
      close: async () => {
        if (this.listener !== listener) return;
        this.calls.push('close');
        endWrite();
        await settled();
        this.listener = undefined;
      },
    };
  }

  send(text: string): void {
    this.listener?.onData(Buffer.from(text, 'latin1'));
  }

  lose(): void {
    const { listener } = this;
    this.listener = undefined;
    listener?.onLost(Object.assign(new Error('hung up'), { code: 'EIO' }));
  }
}

/** A serial service for tests: one port on a tty and a clock that the test moves. */
export class TestPort {
  readonly tty = new FakeTty();
  readonly clock = new FakeWallClock('2026-11-23T08:00:00.000Z');
  readonly #announced: SerialPortState[] = [];
  readonly serial: SerialService;

  constructor() {
    const log = silentLogger();
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'serial') this.#announced.push(payload as SerialPortState);
    });
    this.serial = new SerialService({ ports: [{ port, driver: this.tty }], events, log, clock: this.clock });
  }

  readonly write = (hex: string, baudRate = 9600, { signal } = context) =>
    this.serial.write({ port, baudRate, hex }, { signal });

  readonly read = (timeout: number, baudRate = 9600, { signal } = context) =>
    this.serial.read({ port, baudRate, timeout }, { signal });

  /** What was announced about the port, in order. */
  readonly states = (): string[] => this.#announced.map(({ state }) => state);

  /** Stops the service. @throws AssertionError when it left something behind */
  async close(): Promise<void> {
    await this.serial.stop();
    assert.equal(this.clock.pending, 0, 'no timer is left behind');
    assert.equal(this.tty.listener, undefined, 'the port is released');
  }
}

/** A serial service with one port on a driver. */
export function serialOn(name: string, driver: SerialDriver, events: EventBus, log: Logger): SerialService {
  return new SerialService({ ports: [{ port: name, driver }], events, log });
}

/** A new port for each test of a block, closed after it; called within `describe`. */
export function portForTests(onOpened: (port: TestPort) => void): void {
  let line: TestPort;
  beforeEach(() => {
    line = new TestPort();
    onOpened(line);
  });
  afterEach(() => line.close());
}

/** As technicians write it, such as `9600 7E1 software`; what is usual is left out. */
function words({ baudRate, dataBits, parity, stopBits, flowControl }: Settings): string {
  const format = `${dataBits}${parity.charAt(0).toUpperCase()}${stopBits}`;
  return [
    baudRate,
    ...(format === '8N1' ? [] : [format]),
    ...(flowControl === 'none' ? [] : [flowControl]),
  ].join(' ');
}
