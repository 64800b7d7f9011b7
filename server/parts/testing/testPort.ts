import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { EventBus } from '../../platform/eventBus.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import { FakeTty } from '../../testing/fakeTty.ts';
import { FakeWallClock } from '../../testing/fakeWallClock.ts';
import type { SerialPortState } from '../serial/contract.ts';
import type { SerialDriver } from '../serial/driver.ts';
import { SerialService } from '../serial/service.ts';

export const context = { signal: new AbortController().signal };
export const port = '/dev/ttyS5';

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
