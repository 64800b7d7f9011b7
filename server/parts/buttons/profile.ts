import { z } from 'zod';
import { defineProfile, devicePath, simulatedRow } from '../profile.ts';
import { type ButtonsDriver, EvdevButtons, SimulatedButtons } from './driver.ts';

const buttonsRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({
    driver: z.literal('evdev'),
    path: devicePath.describe('the node, such as /dev/input/by-path/platform-gpio-keys-event'),
    keys: z
      .record(z.string().regex(/^\d{1,3}$/, 'must be the number of a key'), z.string().min(1).max(64))
      .optional()
      .describe(
        'names by the number of the key, such as {"59": "Bell"}; others are not reported. Default: all, by their number',
      ),
  }),
]);

/** The buttons beside the glass of a board. */
export const buttonsProfile = defineProfile({
  row: buttonsRow.optional(),
  driver(row, { eventIo, clock, log }): ButtonsDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedButtons();
      case 'evdev':
        return new EvdevButtons({ ...row, io: eventIo, clock, log });
    }
  },
});
