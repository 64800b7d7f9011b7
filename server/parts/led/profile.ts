import { z } from 'zod';
import { devicePath } from '../profile.ts';

const ledFolders = z.union(
  [devicePath, z.strictObject({ red: devicePath, green: devicePath, blue: devicePath })],
  'must be the folder of a multicolour LED, or an object with the folders of three: red, green and blue',
);

/** The LED bar of a board. */
export const ledRow = z.discriminatedUnion('driver', [
  z.strictObject({ driver: z.literal('simulated') }),
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
