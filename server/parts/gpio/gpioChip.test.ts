import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { silentLogger } from '../../platform/log.ts';
import { systemEventIo } from '../../platform/native/ioctl.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { FakeGpioChip, GpioSim, skipWithoutGpioSim } from '../../testing/fakeGpioChip.ts';
import { until } from '../../testing/waiting.ts';
import { testGpioDriver } from '../testing/gpioDriverSuite.ts';
import type { PinChange } from './driver.ts';
import { GpioChip, type GpioLine } from './gpioChip.ts';

const CHIP = '/dev/gpiochip0';
const NAMES = ['', 'IO1', 'IO2', 'RELAY1', 'RELAY2', 'IO1', 'LED'];
const LINES: readonly GpioLine[] = [
  { name: 'IO1', direction: 'both', bias: 'pull-up' },
  { offset: 2, direction: 'both' },
  { name: 'RELAY1', direction: 'output' },
  { offset: 4, direction: 'output' },
];

function make(io: FakeGpioChip, lines = LINES, clock = new FakeClock()): GpioChip {
  return new GpioChip({ path: CHIP, lines, io, clock, log: silentLogger() });
}

testGpioDriver('gpiochip on a fake of the kernel', async () => {
  const chip = new FakeGpioChip(CHIP, NAMES);
  return {
    driver: make(chip),
    setWire: async ({ pin, level }) => chip.pull(pin + 1, level),
    close: async () => assert.equal(chip.held.size + chip.chips.size, 0, 'every descriptor is closed'),
  };
});

testGpioDriver(
  'gpiochip on gpio-sim',
  async () => {
    const sim = new GpioSim();
    sim.start(NAMES);
    return {
      driver: new GpioChip({
        path: sim.path,
        lines: LINES,
        io: systemEventIo,
        clock: new FakeClock(),
        log: silentLogger(),
      }),
      setWire: async ({ pin, level }) => sim.pull(pin + 1, level),
      close: async () => sim.stop(),
    };
  },
  { skip: skipWithoutGpioSim },
);

describe('gpiochip', () => {
  let chip: FakeGpioChip;
  let driver: GpioChip;
  /** A second one, where a test makes it. */
  let other: GpioChip | undefined;
  beforeEach(async () => {
    chip = new FakeGpioChip(CHIP, NAMES);
    driver = make(chip);
    await driver.start();
  });
  afterEach(async () => {
    await other?.stop();
    other = undefined;
    await driver.stop();
    assert.equal(chip.held.size + chip.chips.size, 0, 'every descriptor is closed');
  });

  test('should find lines by name (the first of that name) and by offset, and request them under its own name', () => {
    const offsets = [...chip.held.values()].map((line) => chip.lines.indexOf(line));
    assert.deepEqual(offsets, [1, 2, 3, 4]);
    assert.deepEqual(chip.consumers, ['faceplate', 'faceplate', 'faceplate', 'faceplate']);
    assert.equal(chip.chips.size, 0, 'the chip itself is closed again');
  });

  test('should look up no names when the profile gives offsets', async () => {
    const other = new FakeGpioChip(CHIP, NAMES);
    other.lines.length = 5;
    const byOffset = LINES.map((line, pin) => ({ direction: line.direction, offset: pin + 1 }));
    const answer = other.ioctlPointer.bind(other);
    const asked: number[] = [];
    other.ioctlPointer = (fd, request, argument) => {
      asked.push(request);
      return answer(fd, request, argument);
    };
    const quick = make(other, byOffset);
    await quick.start();
    await quick.stop();
    assert.deepEqual(asked, Array(4).fill(0xc250b407));
  });

  test('should drive outputs low, or at their initial or safe level, from the first moment on', async () => {
    assert.deepEqual(chip.lines[3]!.configured, [{ flags: 8n, value: 0 }]);
    await driver.stop();
    const other = make(chip, [
      { offset: 1, direction: 'input' },
      { offset: 2, direction: 'output', initial: 1 },
      { offset: 3, direction: 'output', safeLevel: 1 },
      { offset: 4, direction: 'output', initial: 1, activeLow: true },
    ]);
    await other.start();
    assert.deepEqual(
      chip.lines.map((line) => line.configured.at(-1)),
      [
        undefined,
        { flags: 0x34n, value: undefined },
        { flags: 8n, value: 1 },
        { flags: 8n, value: 1 },
        { flags: 10n, value: 1 },
        undefined,
        undefined,
      ],
    );
    assert.deepEqual(
      [2, 3, 4].map((offset) => chip.wire(offset)),
      [1, 1, 0],
    );
    assert.equal(await other.read(3), 1, 'the kernel inverts an active-low line');
    await other.stop();
  });

  test('should drive the safe level before it releases a line, and no other level', async () => {
    await driver.stop();
    const other = make(chip, [
      { offset: 1, direction: 'output', safeLevel: 1 },
      { offset: 2, direction: 'output', safeLevel: 0 },
      { offset: 3, direction: 'output' },
      { offset: 4, direction: 'input' },
    ]);
    await other.start();
    await other.write(0, 0);
    await other.write(1, 1);
    await other.write(2, 1);
    const last: number[] = [];
    const close = chip.close.bind(chip);
    chip.close = (fd) => {
      last.push(chip.wire(chip.lines.indexOf(chip.held.get(fd)!)));
      close(fd);
    };
    await other.stop();
    assert.deepEqual(last, [1, 0, 1, 0]);
    await other.stop();
  });

  test('should turn a pin for both directions into an output at the first write, with no wrong level between', async () => {
    assert.deepEqual(chip.lines[1]!.configured, [{ flags: 0x134n, value: undefined }]);
    await driver.write(0, 1);
    await driver.write(0, 0);
    assert.deepEqual(chip.lines[1]!.configured.slice(1), [{ flags: 0x108n, value: 1 }]);
    assert.equal(chip.wire(1), 0);
  });

  test('should refuse with EPERM to drive a pin that is an input by the profile', async () => {
    await driver.stop();
    const other = make(chip, [{ offset: 1, direction: 'input' }]);
    await other.start();
    await assert.rejects(other.write(0, 1), { code: 'EPERM' });
    await assert.rejects(other.read(1), { code: 'ENXIO' });
    await other.stop();
  });

  test('should see what others put on an open-drain output that it has released', async () => {
    await driver.stop();
    const other = make(chip, [
      { offset: 1, direction: 'output', drive: 'open-drain', bias: 'pull-up', initial: 1 },
    ]);
    await other.start();
    chip.lines[1]!.pull = 1;
    assert.equal(await other.read(0), 1);
    chip.lines[1]!.pull = 0;
    assert.equal(await other.read(0), 0);
    await other.stop();
  });

  test('should fail to start with EBUSY when another program holds a line, and hold none of the others', async () => {
    const rival = make(chip);
    await assert.rejects(rival.start(), { code: 'EBUSY' });
    assert.equal(chip.held.size, 4);
    await driver.stop();
    chip.lines[4]!.flags = 4n;
    await assert.rejects(driver.start(), { code: 'EBUSY' });
    assert.equal(chip.held.size, 0);
    chip.lines[4]!.flags = undefined;
  });

  test('should fail to start with ENOENT without the chip, and with ENXIO without the line', async () => {
    const nowhere = new GpioChip({
      path: '/dev/gpiochip9',
      lines: LINES,
      io: chip,
      clock: new FakeClock(),
      log: silentLogger(),
    });
    await assert.rejects(nowhere.start(), { code: 'ENOENT' });
    await assert.rejects(make(chip, [{ name: 'RELAY9', direction: 'output' }]).start(), { code: 'ENXIO' });
    await assert.rejects(make(chip, [{ offset: 99, direction: 'output' }]).start(), { code: 'EINVAL' });
    await nowhere.stop();
  });

  test('should fail with ENODEV when the chip goes away, and request its lines again when it is back', async () => {
    await driver.write(2, 1);
    chip.unplug();
    await assert.rejects(driver.read(2), { code: 'ENODEV' });
    await assert.rejects(driver.read(2), { code: 'ENOENT' });
    assert.equal(chip.held.size, 0);
    chip.plug();
    assert.equal(await driver.read(2), 0);
    assert.equal(chip.held.size, 4);
  });

  test('should stop quietly when the chip has gone away', async () => {
    await driver.stop();
    const other = make(
      chip,
      LINES.map((line) => ({ ...line, direction: 'output' as const, safeLevel: 0 as const })),
    );
    await other.start();
    chip.unplug();
    await other.stop();
    assert.equal(chip.held.size, 0);
  });

  test('should report each change of an input once, and none of an output', async () => {
    const seen = await heard(LINES);
    for (const offset of [1, 2, 3, 4]) chip.pull(offset, 1);
    chip.pull(1, 0);
    await until(() => seen.length === 3);
    assert.deepEqual(
      seen.map(({ pin, level }) => [pin, level]),
      [
        [0, 1],
        [0, 0],
        [1, 1],
      ],
    );
  });

  test('should tell when each edge was, by the clock of the kernel, and that it is debounced', async () => {
    const seen = await heard(LINES);
    const before = Date.now();
    chip.pull(1, 1, process.hrtime.bigint() - 2_000_000_000n);
    await until(() => seen.length === 1);
    assert.ok(
      Math.abs(seen[0]!.at! - (before - 2_000)) < 1_000,
      `${seen[0]!.at} is not 2 s before ${before}`,
    );
    assert.deepEqual([seen[0]!.edges, seen[0]!.isSettled], [1, true]);
  });

  test('should count edges that the kernel had no room for, and end at the last level', async () => {
    const seen = await heard(LINES);
    for (let edge = 0; edge < 10_001; edge++) chip.pull(1, (edge + 1) % 2);
    await until(() => seen.length >= 256);
    assert.equal(seen.length, 256);
    assert.equal(
      seen.reduce((sum, { edges = 1 }) => sum + edges, 0),
      10_001,
    );
    assert.equal(seen.at(-1)!.level, 1);
  });

  test('should let the kernel debounce its inputs, for as long as the profile says', async () => {
    await heard([{ offset: 1, direction: 'input' }], { debounceMs: 30 });
    assert.deepEqual(chip.lines[1]!.configured.at(-1), {
      flags: 0x34n,
      value: undefined,
      debounceUs: 30_000,
    });
  });

  test('should hear edges again when the chip was away', async () => {
    const seen = await heard(LINES);
    chip.unplug();
    await until(() => chip.held.size === 0, 'the lines are released');
    chip.plug();
    await other!.read(0);
    chip.pull(1, 1);
    await until(() => seen.length === 1);
    assert.deepEqual([seen[0]!.pin, seen[0]!.level], [0, 1]);
  });

  test('should read the inputs of a chip without interrupts regularly', async () => {
    chip.hasInterrupts = false;
    const clock = new FakeClock();
    const seen = await heard(LINES, { clock });
    for (const line of chip.lines) line.pull = 1;
    await clock.advance(300);
    chip.lines[1]!.pull = 0;
    await clock.advance(100);
    assert.deepEqual(seen, [
      { pin: 0, level: 1 },
      { pin: 1, level: 1 },
      { pin: 0, level: 0 },
    ]);
    await other!.stop();
    assert.equal(clock.pending, 0);
  });

  test('should request and set back the outputs that are 0 before those that are 1', async () => {
    await driver.stop();
    other = make(chip, [
      { offset: 1, direction: 'output', safeLevel: 1 },
      { offset: 2, direction: 'output', safeLevel: 0 },
    ]);
    const answer = chip.ioctlPointer.bind(chip);
    const order: number[] = [];
    chip.ioctlPointer = (fd, request, argument) => {
      if (request === 0xc250b407) order.push(argument.readUInt32LE(0));
      const line = chip.held.get(fd);
      if (request === 0xc010b40f && line) order.push(chip.lines.indexOf(line));
      return answer(fd, request, argument);
    };
    await other.start();
    await other.stop();
    assert.deepEqual(order, [2, 1, 2, 1]);
  });

  test('should switch no output on at stop when another could not be switched off', async () => {
    await driver.stop();
    other = make(chip, [
      { offset: 1, direction: 'output', safeLevel: 1 },
      { offset: 2, direction: 'output', safeLevel: 0 },
    ]);
    await other.start();
    await other.write(0, 0);
    await other.write(1, 1);
    const answer = chip.ioctlPointer.bind(chip);
    chip.ioctlPointer = (fd, request, argument) => {
      if (request === 0xc010b40f && chip.held.get(fd) === chip.lines[2]) throw errnoError('EIO', 'injected');
      return answer(fd, request, argument);
    };
    const closed: number[] = [];
    const close = chip.close.bind(chip);
    chip.close = (fd) => {
      closed.push(chip.wire(chip.lines.indexOf(chip.held.get(fd)!)));
      close(fd);
    };
    await other.stop();
    assert.deepEqual(closed, [0, 1]);
  });

  /** Another driver of the same chip, and what it tells. */
  async function heard(
    lines: readonly GpioLine[],
    { clock = new FakeClock(), debounceMs = 0 } = {},
  ): Promise<PinChange[]> {
    await driver.stop();
    other = new GpioChip({ path: CHIP, lines, debounceMs, io: chip, clock, log: silentLogger() });
    const seen: PinChange[] = [];
    other.onChange((change) => seen.push(change));
    await other.start();
    return seen;
  }
});
