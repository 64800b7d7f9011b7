import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { IrFrame } from './driver.ts';
import {
  CAN_MEASURE_CARRIER,
  CAN_REC_MODE2,
  CAN_SEND_PULSE,
  CAN_SET_SEND_CARRIER,
  GET_FEATURES,
  type LircIo,
  LircIr,
  piecesOf,
  SET_SEND_CARRIER,
  SET_SEND_MODE,
  SET_TRANSMITTER_MASK,
  WORD_FREQUENCY,
  WORD_PULSE,
  WORD_TIMEOUT,
} from './lirc.ts';
import { encode, sum } from './protocols.ts';

const ALL = CAN_SEND_PULSE | CAN_SET_SEND_CARRIER | CAN_REC_MODE2 | CAN_MEASURE_CARRIER;
const go = new AbortController().signal;

/** A LIRC device in memory: the kernel's driver cannot be loaded on every machine. */
class FakeLirc implements LircIo {
  features = ALL;
  readonly calls: [number, number][] = [];
  readonly writes: number[][] = [];
  /** When each write began, in milliseconds. */
  readonly begun: number[] = [];
  readonly clock = new FakeClock();
  #waiting: (() => void) | undefined;
  #bytes = Buffer.alloc(0);
  failure: Error | undefined;
  closed = 0;

  open(): number {
    if (this.failure !== undefined) throw this.failure;
    return 7;
  }

  close(): void {
    this.closed++;
  }

  ioctlPointer(_fd: number, request: number, argument: Buffer): number {
    if (request === GET_FEATURES) argument.writeUInt32LE(this.features);
    else this.calls.push([request, argument.readUInt32LE()]);
    return 0;
  }

  ioctlValue(): number {
    return 0;
  }

  readWaiting(_fd: number, into: Buffer): number {
    if (this.failure !== undefined) throw this.failure;
    const size = this.#bytes.copy(into);
    this.#bytes = this.#bytes.subarray(size);
    return size;
  }

  whenReadable(_fds: readonly number[], _limit: number, ready: () => void): () => void {
    this.#waiting = ready;
    return () => ready();
  }

  /** As the kernel: it returns when the light has been sent. */
  async write(_fd: number, bytes: Buffer): Promise<void> {
    const values = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index));
    this.writes.push(values);
    this.begun.push(this.clock.now());
    this.clock.stall(sum(values) / 1_000);
  }

  hear(words: readonly number[]): void {
    const bytes = Buffer.alloc(4 * words.length);
    for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, 4 * index);
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    this.#waiting?.();
  }
}

describe('LIRC device', () => {
  let io: FakeLirc;
  let heard: IrFrame[];
  const make = (more: { mask?: number; receives?: boolean } = {}) => {
    const driver = new LircIr({
      path: '/dev/lirc0',
      receives: true,
      io,
      clock: io.clock,
      log: silentLogger(),
      ...more,
    });
    driver.onFrame((frame) => heard.push(frame));
    return driver;
  };

  beforeEach(() => {
    io = new FakeLirc();
    heard = [];
  });

  test('should say what the device can, and choose its emitters', async () => {
    const driver = make({ mask: 2 });
    await driver.start();
    assert.deepEqual([driver.sends, driver.receives, driver.carrier], [true, true, true]);
    assert.deepEqual(io.calls.slice(0, 2), [
      [SET_SEND_MODE, 2],
      [SET_TRANSMITTER_MASK, 2],
    ]);
    await driver.stop();
    assert.equal(io.closed, 1);
    io.features = CAN_REC_MODE2;
    const receiver = make();
    await receiver.start();
    assert.deepEqual([receiver.sends, receiver.receives, receiver.carrier], [false, true, false]);
    await receiver.stop();
    io.features = 0;
    await assert.rejects(make().start(), { code: 'ENODEV' });
  });

  test('should send the values as they are, with their carrier', async () => {
    const driver = make({ receives: false });
    await driver.start();
    const code = encode({ protocol: 'rc5', address: 5, command: 35 }, 0, false);
    await driver.send(code, go);
    assert.deepEqual(io.writes, [code.timings]);
    assert.deepEqual(io.calls.at(-1), [SET_SEND_CARRIER, 36_000]);
    await driver.stop();
  });

  test('should cut at gaps what the kernel refuses: over 500 ms, or over 1,023 times', () => {
    const nec = encode({ protocol: 'nec', address: 1, command: 2 }, 20, false).timings;
    const pieces = piecesOf(nec);
    assert.ok(pieces.length > 3);
    for (const { values } of pieces) {
      assert.equal(values.length % 2, 1);
      assert.ok(sum(values) <= 500_000);
    }
    assert.deepEqual(
      pieces.flatMap(({ values, gapUs }, index) => [
        ...values,
        ...(index < pieces.length - 1 ? [gapUs] : []),
      ]),
      nec,
    );
    const many = Array.from({ length: 3_001 }, (_, index) => (index === 801 ? 140 : 100));
    for (const { values } of piecesOf(many)) assert.ok(values.length <= 1_023 && values.length % 2 === 1);
    assert.equal(sum(many), sum(piecesOf(many).flatMap(({ values, gapUs }) => [...values, gapUs])));
  });

  test('should wait for the gap between two pieces, and end within one when it is told to', async () => {
    const driver = make({ receives: false });
    await driver.start();
    const timings = [400_000, 50_000, 400_000, 50_000, 400_000];
    const sending = driver.send({ timings, carrier: 38_000 }, go);
    for (let turn = 0; turn < 20 && io.writes.length < 3; turn++) await io.clock.advance(50);
    await sending;
    assert.deepEqual(io.writes, [[400_000], [400_000], [400_000]]);
    // Each piece begins where the code has it, whatever the time that the kernel took.
    assert.deepEqual(
      io.begun.map((at) => at - io.begun[0]!),
      [0, 450, 900],
    );
    const end = new AbortController();
    const second = driver.send({ timings, carrier: 38_000 }, end.signal);
    await new Promise(setImmediate);
    end.abort(new Error('stopped'));
    await assert.rejects(second, /stopped/);
    assert.equal(io.writes.length, 4);
    await driver.stop();
  });

  test('should tell frames apart by the silence, with the carrier that was measured', async () => {
    const driver = make();
    await driver.start();
    const frame = [9_000, 4_500, 560, 1_690, 560];
    const words = frame.map((us, index) => (index % 2 === 0 ? WORD_PULSE : 0) + us);
    io.hear([500, ...words, WORD_FREQUENCY + 37_900, 40_000]);
    assert.deepEqual(heard, [{ timings: frame, carrier: 37_900 }]);
    io.hear([...words, WORD_TIMEOUT + 125_000]);
    assert.deepEqual(heard[1], { timings: frame, carrier: null });
    // One light in two words is one light.
    io.hear([WORD_PULSE + 300, WORD_PULSE + 200, WORD_TIMEOUT]);
    assert.deepEqual(heard[2]?.timings, [500]);
    await driver.stop();
  });

  test('should take a frame for ended after a silence that the kernel does not announce', async () => {
    const driver = make();
    await driver.start();
    const frame = [9_000, 4_500, 560, 1_690, 560];
    const words = frame.map((us, index) => (index % 2 === 0 ? WORD_PULSE : 0) + us);
    // As rc-loopback does: the end comes as a second carrier.
    io.hear([...words.slice(0, 3), WORD_FREQUENCY + 36_000]);
    await io.clock.advance(200);
    io.hear([...words.slice(3), WORD_FREQUENCY + 40_000]);
    await io.clock.advance(200);
    assert.deepEqual(heard, []);
    await io.clock.advance(50);
    assert.deepEqual(heard, [{ timings: frame, carrier: 36_000 }]);
    io.hear([WORD_PULSE + 300, WORD_TIMEOUT]);
    assert.deepEqual(heard[1], { timings: [300], carrier: null });
    await io.clock.advance(1_000);
    assert.equal(heard.length, 2);
    io.hear(words);
    await driver.stop();
    await io.clock.advance(1_000);
    assert.equal(heard.length, 2);
  });

  test('should hear nothing where the board says that it only sends', async () => {
    const driver = make({ receives: false });
    await driver.start();
    io.hear([WORD_PULSE + 300, WORD_TIMEOUT]);
    assert.deepEqual(heard, []);
    await driver.stop();
  });

  test('security: should bound what a receiver hears', async () => {
    const driver = make();
    await driver.start();
    for (let turn = 0; turn < 10; turn++)
      io.hear(Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? WORD_PULSE : 0) + 300));
    io.hear([WORD_TIMEOUT]);
    assert.deepEqual(heard, []);
    io.hear([WORD_PULSE + 300, WORD_TIMEOUT]);
    assert.equal(heard.length, 1);
    await driver.stop();
  });

  test('should look for a device that was unplugged, until it is back', async () => {
    const driver = make();
    await driver.start();
    io.failure = Object.assign(new Error('gone'), { code: 'ENODEV' });
    io.hear([]);
    await assert.rejects(driver.send({ timings: [100], carrier: 38_000 }, go), { code: 'ENODEV' });
    io.failure = undefined;
    await io.clock.advance(5_000);
    io.hear([WORD_PULSE + 300, WORD_TIMEOUT]);
    assert.equal(heard.length, 1);
    await driver.stop();
  });
});
