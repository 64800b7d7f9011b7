import { z } from 'zod';
import { defineProfile, devicePath, simulatedRow } from '../profile.ts';
import { type LedDriver, SimulatedLed } from './driver.ts';
import { LedJni } from './ledjni.ts';
import { SysfsLed } from './sysfs.ts';

const ledFolders = z.union(
  [devicePath, z.strictObject({ red: devicePath, green: devicePath, blue: devicePath })],
  'must be the folder of a multicolour LED, or an object with the folders of three: red, green and blue',
);

const ledRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({
    driver: z.literal('ledjni'),
    path: devicePath.describe('the vendor’s node'),
    scale: z
      .union([z.literal(15), z.literal(255)], 'must be 15 or 255')
      .default(255)
      .describe('value of full brightness at the node'),
  }),
  z.strictObject({
    driver: z.literal('sysfs'),
    path: ledFolders.describe('the folder of a multicolour LED, or the folders of three'),
  }),
]);

/** The LED bar of a board. */
export const ledProfile = defineProfile({
  row: ledRow.optional(),
  driver(row, { deviceIo }): LedDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedLed();
      case 'ledjni':
        return new LedJni({ path: row.path, scale: row.scale, io: deviceIo });
      case 'sysfs':
        return new SysfsLed(row.path);
    }
  },
});
