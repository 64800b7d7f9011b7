import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type DoubleControl, underDeviceDouble } from '../../testing/deviceDouble.ts';
import { type Light, testLedDriver } from '../testing/ledDriverSuite.ts';
import { SysfsLed } from './sysfs.ts';

const MULTICOLOUR = '/sys/class/leds/rgb:status';
const SINGLE = {
  red: '/sys/class/leds/panel:red:status',
  green: '/sys/class/leds/panel:green:status',
  blue: '/sys/class/leds/panel:blue:status',
};

async function numbers(double: DoubleControl, path: string): Promise<number[]> {
  return (await double.attribute(path)).trim().split(' ').map(Number);
}

/** The light of a multicolour LED by the kernel's formula, its components in the order green, red, blue. */
async function multicolourLight(double: DoubleControl): Promise<Light> {
  const [brightness = 0] = await numbers(double, `${MULTICOLOUR}/brightness`);
  const intensities = await numbers(double, `${MULTICOLOUR}/multi_intensity`);
  const [green = 0, red = 0, blue = 0] = intensities.map((intensity) => (brightness * intensity) / 255);
  return { red, green, blue };
}

async function singleLight(double: DoubleControl): Promise<Light> {
  const [red = 0] = await numbers(double, `${SINGLE.red}/brightness`);
  const [green = 0] = await numbers(double, `${SINGLE.green}/brightness`);
  const [blue = 0] = await numbers(double, `${SINGLE.blue}/brightness`);
  return { red: red * 2.55, green: green * 2.55, blue: blue * 255 };
}

underDeviceDouble('LED driver sysfs', import.meta.filename, (double) => {
  testLedDriver('sysfs with a multicolour LED', async () => ({
    driver: new SysfsLed(MULTICOLOUR),
    look: () => multicolourLight(double),
    close: async () => undefined,
  }));

  testLedDriver(
    'sysfs with three single LEDs, one of them without steps',
    async () => ({
      driver: new SysfsLed(SINGLE),
      look: () => singleLight(double),
      close: async () => undefined,
    }),
    { steps: { red: 100, green: 100, blue: 1 } },
  );

  describe('sysfs multicolour LED', () => {
    const intensity = `${MULTICOLOUR}/multi_intensity`;
    const brightness = `${MULTICOLOUR}/brightness`;
    const trigger = `${MULTICOLOUR}/trigger`;
    let led: SysfsLed;
    beforeEach(async () => {
      led = new SysfsLed(MULTICOLOUR);
      await led.start();
      await double.takeCalls();
    });
    afterEach(async () => {
      await double.setAttribute(`${MULTICOLOUR}/multi_index`, 'green red blue');
      await double.setAttribute(`${MULTICOLOUR}/max_brightness`, '255');
    });

    test('should drop a trigger first, then write all intensities in one go, then the brightness', async () => {
      await double.setAttribute(trigger, 'none timer [heartbeat]');
      await led.apply({ on: true, red: 10, green: 20, blue: 30 });
      assert.deepEqual(
        (await double.takeCalls()).map(({ device }) => device),
        [trigger, intensity, brightness],
      );
      assert.equal(await double.attribute(intensity), '20 10 30\n');
      assert.equal(await double.attribute(trigger), '[none] timer heartbeat\n');
      await led.apply({ on: true, red: 1, green: 2, blue: 3 });
      assert.equal(await double.attribute(intensity), '2 1 3\n');
      assert.deepEqual(
        (await double.takeCalls()).map(({ device }) => device),
        [intensity, brightness],
      );
    });

    test('should switch off with brightness 0, after dropping the trigger', async () => {
      await led.apply({ on: true, red: 1, green: 2, blue: 3 });
      await double.setAttribute(trigger, 'none [timer] heartbeat');
      await double.takeCalls();
      await led.apply({ on: false, red: 1, green: 2, blue: 3 });
      assert.deepEqual(
        (await double.takeCalls()).map(({ device }) => device),
        [trigger, brightness],
      );
      assert.equal(await double.attribute(brightness), '0\n');
    });

    test('should follow the order of multi_index and leave other components dark', async () => {
      await double.setAttribute(`${MULTICOLOUR}/multi_index`, 'blue white red green');
      const other = new SysfsLed(MULTICOLOUR);
      await other.start();
      await other.apply({ on: true, red: 1, green: 2, blue: 3 });
      assert.equal(await double.attribute(intensity), '3 0 1 2\n');
    });

    test('should never write more than max_brightness', async () => {
      await double.setAttribute(`${MULTICOLOUR}/max_brightness`, '31');
      const dim = new SysfsLed(MULTICOLOUR);
      await dim.start();
      await dim.apply({ on: true, red: 255, green: 128, blue: 4 });
      assert.equal(await double.attribute(intensity), '16 31 0\n');
      assert.equal(await double.attribute(brightness), '31\n');
    });

    test('should work when the kernel has no triggers', async () => {
      await double.remove(trigger);
      await led.apply({ on: true, red: 9, green: 9, blue: 9 });
      assert.equal(await double.attribute(intensity), '9 9 9\n');
      await double.restore(trigger);
    });

    test('should fail to start with EINVAL on an LED that is not red, green and blue', async () => {
      await double.setAttribute(`${MULTICOLOUR}/multi_index`, 'amber white');
      await assert.rejects(new SysfsLed(MULTICOLOUR).start(), { code: 'EINVAL' });
      await double.setAttribute(`${MULTICOLOUR}/max_brightness`, 'nonsense');
      await assert.rejects(new SysfsLed(MULTICOLOUR).start(), { code: 'EINVAL' });
    });

    test('should fail with ENOENT when an attribute is missing, and create no file of that name', async () => {
      await double.remove(intensity);
      await assert.rejects(new SysfsLed(MULTICOLOUR).start(), { code: 'ENOENT' });
      await assert.rejects(led.apply({ on: true, red: 1, green: 1, blue: 1 }), { code: 'ENOENT' });
      await assert.rejects(double.attribute(intensity), /FileNotFoundError/);
      await double.restore(intensity);
    });
  });

  test('should fail to start with ENOENT when one of three single LEDs is missing', async () => {
    const led = new SysfsLed({ ...SINGLE, blue: '/sys/class/leds/nothing' });
    await assert.rejects(led.start(), { code: 'ENOENT' });
    assert.equal(led.path, `${SINGLE.red}, ${SINGLE.green}, /sys/class/leds/nothing`);
  });
});
