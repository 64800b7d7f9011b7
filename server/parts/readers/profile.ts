import { z } from 'zod';
import { SimulatedReader } from '../buttons/driver.ts';
import { EvdevReader } from '../buttons/evdevReader.ts';
import { type DriverNeeds, defineProfile, devicePath } from '../profile.ts';
import type { ReaderDriver } from './driver.ts';

const name = z.string().min(1).max(64).describe('what events call it');

const readerRow = z.discriminatedUnion('driver', [
  z.strictObject({
    name,
    driver: z.literal('evdev').default('evdev'),
    path: devicePath.describe(
      'the node, such as one below /dev/input/by-id. It is grabbed: no page hears it',
    ),
  }),
  z.strictObject({ name, driver: z.literal('simulated') }),
]);

const readerRows = z
  .array(readerRow)
  .max(8)
  .superRefine((rows, context) => {
    for (const [index, { name: each }] of rows.entries())
      if (rows.findIndex((row) => row.name === each) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `${each} stands here twice` });
  });

/** A reader by the name that events call it. */
interface Reader {
  readonly name: string;
  readonly driver: ReaderDriver;
}

/** The readers of cards or codes of a board. */
export const readersProfile = defineProfile({
  row: readerRows.optional(),
  driver: (rows = [], needs): readonly Reader[] =>
    rows.map((row) => ({ name: row.name, driver: readerDriver(row, needs) })),
});

function readerDriver(row: z.output<typeof readerRow>, { eventIo, clock, log }: DriverNeeds): ReaderDriver {
  switch (row.driver) {
    case 'simulated':
      return new SimulatedReader();
    case 'evdev':
      return new EvdevReader({ path: row.path, io: eventIo, clock, log });
  }
}
