import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { ioctlsOf, underDeviceDouble } from '../../testing/deviceDouble.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { testGpioDriver } from '../testing/gpioDriverSuite.ts';
import type { PinState } from './contract.ts';
import { GpioControl, type SafeLevels } from './gpioControl.ts';

const NODE = '/dev/gpio_control';
const ioctl = ioctlsOf(NODE);

function make(safeLevels: SafeLevels = {}, clock: Clock = systemClock): GpioControl {
  return new GpioControl({
    path: NODE,
    inputs: [0, 1],
    safeLevels,
    io: systemDeviceIo,
    clock,
    log: silentLogger(),
  });
}

underDeviceDouble('GPIO driver gpio_control', import.meta.filename, (double) => {
  testGpioDriver('gpio_control', async () => ({
    driver: make(),
    setWire: ({ pin, level }) => double.setPin(pin, level),
    close: async () => undefined,
  }));

  describe('gpio_control', () => {
    let driver: GpioControl;
    beforeEach(async () => {
      for (const pin of [0, 1, 2, 3]) await double.setPin(pin, 0);
      driver = make();
      await driver.start();
      await double.takeCalls();
    });
    afterEach(() => driver.stop());

    test('should put the level into the request and the address of the pin into the argument', async () => {
      await driver.write(2, 1);
      await driver.read(2);
      await driver.write(2, 0);
      await driver.write(3, 1);
      await driver.read(0);
      assert.deepEqual(await double.takeCalls(), [
        ioctl(0x40000001, 2),
        ioctl(0x80000000, 2),
        ioctl(0x40000000, 2),
        ioctl(0x40000001, 3),
        ioctl(0x80000000, 0),
      ]);
      assert.deepEqual(await double.pins(), [0, 0, 0, 1]);
    });

    test('should only read at start, and change nothing', async () => {
      await make().start();
      assert.deepEqual(await double.takeCalls(), [ioctl(0x80000000, 0)]);
    });

    test('should apply the safe levels at start and at stop, and to no other pin', async () => {
      await driver.write(0, 1);
      await driver.write(3, 1);
      const safe = make({ 2: 1, 3: 0 });
      await safe.start();
      assert.deepEqual(await double.pins(), [1, 0, 1, 0]);
      await safe.write(2, 0);
      await safe.write(3, 1);
      await safe.stop();
      assert.deepEqual(await double.pins(), [1, 0, 1, 0]);
      await double.takeCalls();
      await safe.stop();
      assert.deepEqual(await double.takeCalls(), [], 'a second stop touches nothing');
    });

    test('should touch no pin when stopped before the start', async () => {
      await make({ 2: 1 }).stop();
      assert.deepEqual(await double.takeCalls(), []);
    });

    test('should go on with the other safe levels when one fails at stop', async () => {
      const safe = make({ 2: 0, 3: 0 });
      await safe.start();
      await safe.write(3, 1);
      await double.fail(NODE, 'EIO');
      await safe.stop();
      assert.equal((await double.pins())[3], 0);
    });

    for (const errno of ['EACCES', 'EBUSY', 'EIO', 'EINVAL']) {
      test(`should fail with ${errno} when the node does, and work again afterwards`, async () => {
        await double.fail(NODE, errno, { after: 1 });
        await driver.write(2, 1);
        await assert.rejects(driver.write(2, 0), { code: errno });
        await driver.write(2, 0);
        assert.equal(await driver.read(2), 0);
      });
    }

    test('should fail to start with EACCES when the node opens but refuses the call', async () => {
      await double.fail(NODE, 'EACCES');
      await assert.rejects(make().start(), { code: 'EACCES' });
    });

    test('should fail with ENOENT while the node is away, and find it again', async () => {
      await double.remove(NODE);
      await assert.rejects(make().start(), { code: 'ENOENT' });
      await assert.rejects(driver.read(0), { code: 'ENOENT' });
      await double.restore(NODE);
      assert.equal(await driver.read(0), 0);
    });

    test('should fail with ENOTTY on a node of another kind', async () => {
      const other = new GpioControl({
        path: '/dev/null',
        inputs: [],
        safeLevels: {},
        io: systemDeviceIo,
        clock: systemClock,
        log: silentLogger(),
      });
      await assert.rejects(other.start(), { code: 'ENOTTY' });
    });

    test('should read the actual level, not the one that was written', async () => {
      await double.stickPin(3);
      await driver.write(3, 1);
      assert.equal(await driver.read(3), 0);
      await double.stickPin(null);
    });

    test('should report each change of an input once, and none of a relay', async () => {
      const clock = new FakeClock();
      const polled = make({}, clock);
      const seen: PinState[] = [];
      polled.onChange((change) => seen.push(change));
      await polled.start();
      await double.setPin(1, 1);
      await double.setPin(2, 1);
      await clock.advance(100);
      await clock.advance(100);
      await double.setPin(1, 0);
      await double.fail(NODE, 'EIO');
      await clock.advance(100);
      await clock.advance(100);
      assert.deepEqual(seen, [
        { pin: 1, level: 1 },
        { pin: 1, level: 0 },
      ]);
      await polled.stop();
      assert.equal(clock.pending, 0);
    });

    test('should not read the inputs while nobody listens', async () => {
      const clock = new FakeClock();
      const quiet = make({}, clock);
      await quiet.start();
      assert.equal(clock.pending, 0);
    });
  });
});
