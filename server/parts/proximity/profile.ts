import { z } from 'zod';
import { defineProfile, devicePath, simulatedRow } from '../profile.ts';
import { IioProximity, type ProximityDriver, SimulatedProximity } from './driver.ts';

const proximityRow = z
  .discriminatedUnion('driver', [
    simulatedRow,
    z.strictObject({
      driver: z.literal('iio'),
      path: devicePath.describe('folder of the sensor, such as /sys/bus/iio/devices/iio:device1'),
      above: z.number().min(1).optional().describe('somebody is near from this value on, upwards; or below'),
      below: z
        .number()
        .min(1)
        .optional()
        .describe('somebody is near from this value on, downwards; or above'),
    }),
  ])
  .superRefine((row, context) => {
    if (row.driver === 'iio' && (row.above === undefined) === (row.below === undefined))
      context.addIssue({
        code: 'custom',
        path: ['above'],
        message: 'must be given, or below instead: one of them',
      });
  });

/** What notices somebody before the panel. */
export const proximityProfile = defineProfile({
  row: proximityRow.optional(),
  driver(row): ProximityDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedProximity();
      case 'iio':
        return new IioProximity(row);
    }
  },
});
