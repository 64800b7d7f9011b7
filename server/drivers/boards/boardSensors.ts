import { z } from 'zod';
import { devicePath } from './boardPins.ts';

/** The sensor of temperature and humidity of a board. */
export const climatePart = z.discriminatedUnion('driver', [
  z.strictObject({ driver: z.literal('simulated') }),
  z.strictObject({
    driver: z.literal('iio'),
    path: devicePath.describe('folder of the sensor, such as /sys/bus/iio/devices/iio:device0'),
  }),
  z.strictObject({
    driver: z.literal('hwmon'),
    path: devicePath.describe('folder of the sensor, such as /sys/class/hwmon/hwmon0'),
  }),
]);
