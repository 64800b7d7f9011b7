import { z } from 'zod';
import { defineProfile, devicePath, simulatedRow } from '../profile.ts';
import { type ClimateDriver, SimulatedClimate } from './driver.ts';
import { HwmonClimate, IioClimate } from './sysfs.ts';

const climateRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({
    driver: z.literal('iio'),
    path: devicePath.describe('folder of the sensor, such as /sys/bus/iio/devices/iio:device0'),
  }),
  z.strictObject({
    driver: z.literal('hwmon'),
    path: devicePath.describe('folder of the sensor, such as /sys/class/hwmon/hwmon0'),
  }),
]);

/** The sensor of temperature and humidity of a board. */
export const climateProfile = defineProfile({
  row: climateRow.optional(),
  driver(row): ClimateDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedClimate();
      case 'iio':
        return new IioClimate(row.path);
      case 'hwmon':
        return new HwmonClimate(row.path);
    }
  },
});
