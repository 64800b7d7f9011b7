import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { PinState } from '../../contract/gpio.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { FakeGpioChip } from '../../testing/fakeGpioChip.ts';
import { GpioSim, skipWithoutGpioSim } from '../../testing/gpioSim.ts';
import { systemDeviceIo } from '../native/ioctl.ts';
import { testGpioDriver } from '../testing/gpioDriverSuite.ts';
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
    setWire: async ({ pin, level }) => {
      chip.lines[pin + 1]!.pull = level;
    },
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
        io: systemDeviceIo,
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
  beforeEach(async () => {
    chip = new FakeGpioChip(CHIP, NAMES);
    driver = make(chip);
    await driver.start();
  });
  afterEach(async () => {
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
        { flags: 4n, value: undefined },
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
    assert.deepEqual(chip.lines[1]!.configured, [{ flags: 0x104n, value: undefined }]);
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
    await driver.stop();
    const clock = new FakeClock();
    const polled = make(chip, LINES, clock);
    const seen: PinState[] = [];
    polled.onChange((change) => seen.push(change));
    await polled.start();
    for (const line of chip.lines) line.pull = 1;
    await clock.advance(300);
    chip.lines[1]!.pull = 0;
    await clock.advance(100);
    assert.deepEqual(seen, [
      { pin: 0, level: 1 },
      { pin: 1, level: 1 },
      { pin: 0, level: 0 },
    ]);
    await polled.stop();
    assert.equal(clock.pending, 0);
  });
});
