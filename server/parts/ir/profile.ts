import { z } from 'zod';
import { type DriverNeeds, defineProfile, devicePath } from '../profile.ts';
import { type IrDriver, SimulatedAir, SimulatedIr } from './driver.ts';
import { LircIr, threadWrite } from './lirc.ts';

const port = z
  .string()
  .regex(/^[^/+#\p{Cc}]{1,64}$/u, 'must be 1 to 64 characters without / + #')
  .describe('what callers call it, such as IR1');
const label = z.string().max(64).default('').describe('what people call it');

const irRow = z.discriminatedUnion('driver', [
  z.strictObject({
    port,
    label,
    driver: z.literal('simulated'),
    receives: z.boolean().default(false).describe('it is a receiver; else a sender'),
  }),
  z.strictObject({
    port,
    label,
    driver: z.literal('lirc'),
    path: devicePath.describe('the node, such as /dev/lirc0'),
    mask: z.int().min(1).max(0xffff).optional().describe('which emitters of the device send, as bits'),
    receives: z.boolean().default(false).describe('what it hears becomes events'),
  }),
]);
type IrRow = z.output<typeof irRow>;

const irRows = z
  .array(irRow)
  .max(8)
  .superRefine((rows, context) => {
    for (const [index, { port: each }] of rows.entries())
      if (rows.findIndex((row) => row.port === each) < index)
        context.addIssue({ code: 'custom', path: [index, 'port'], message: `${each} is there twice` });
  });

/** An infrared port by its name. */
export interface NamedIr {
  readonly port: string;
  readonly label: string;
  readonly driver: IrDriver;
}

/** The infrared ports of a board. */
export const irProfile = defineProfile({
  row: irRows.optional(),
  driver(rows = [], needs): readonly NamedIr[] {
    const air = new SimulatedAir();
    return rows.map((row) => ({ port: row.port, label: row.label, driver: driverOf(row, air, needs) }));
  },
});

function driverOf(row: IrRow, air: SimulatedAir, { eventIo, clock, log }: DriverNeeds): IrDriver {
  switch (row.driver) {
    case 'simulated':
      return new SimulatedIr(row.receives, air, clock);
    case 'lirc':
      return new LircIr({ ...row, io: { ...eventIo, write: threadWrite }, clock, log });
  }
}
