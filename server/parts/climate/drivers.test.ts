import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { testClimateDriver } from '../testing/climateDriverSuite.ts';
import { SimulatedClimate } from './driver.ts';
import { HwmonClimate, IioClimate } from './sysfs.ts';

testClimateDriver('simulated', async () => {
  const driver = new SimulatedClimate();
  return { driver, setAir: async (air) => driver.simulate(air), close: async () => {} };
});

const IIO = '/sys/bus/iio/devices/iio:device0';
const HWMON = '/sys/class/hwmon/hwmon0';

underDeviceDouble('climate sensors', import.meta.filename, (double) => {
  const milli = (value: number | null) => String(Math.round((value ?? 0) * 1_000));
  testClimateDriver('iio', async () => ({
    driver: new IioClimate(IIO),
    setAir: async ({ temperature, humidity }) => {
      await double.setAttribute(`${IIO}/in_temp_input`, milli(temperature));
      await double.setAttribute(`${IIO}/in_humidityrelative_input`, milli(humidity));
    },
    close: async () => {},
  }));
  testClimateDriver('hwmon', async () => ({
    driver: new HwmonClimate(HWMON),
    setAir: async ({ temperature, humidity }) => {
      await double.setAttribute(`${HWMON}/temp1_input`, milli(temperature));
      await double.setAttribute(`${HWMON}/humidity1_input`, milli(humidity));
    },
    close: async () => {},
  }));
});

describe('climate sensors in /sys', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('climate');
  });
  const set = (name: string, value: string) => writeFileSync(join(folder, name), `${value}\n`);

  test('should make a value of raw, offset and scale, and leave out what is not measured', async () => {
    // As an HDC1080 tells 21.5 °C: 26083 steps of 165000 / 65536, from -40 °C on.
    set('in_temp_raw', '24426');
    set('in_temp_offset', '-15887.515151');
    set('in_temp_scale', '2.517700195');
    const { temperature, humidity } = await new IioClimate(folder).read();
    assert.ok(Math.abs(temperature! - 21.497) < 0.01, String(temperature));
    assert.equal(humidity, null);
  });

  test('should be no sensor where nothing fits', async () => {
    set('in_voltage0_raw', '12');
    for (const driver of [new IioClimate(folder), new HwmonClimate(folder), new IioClimate('/nowhere')])
      await assert.rejects(driver.start(), { code: 'ENXIO' });
  });

  test('should say when an attribute holds no number', async () => {
    for (const text of ['', 'wet', 'NaN']) {
      set('in_temp_input', text);
      await assert.rejects(new IioClimate(folder).start(), { code: 'EINVAL' });
    }
  });
});
