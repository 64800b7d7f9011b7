import { z } from 'zod';
import { defineProfile, simulatedRow } from '../profile.ts';
import { SimulatedTime, type TimeDriver, Timedated } from './driver.ts';

const timeRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({ driver: z.literal('timedated') }),
]);

/** Clock and time zone of the system. */
export const timeProfile = defineProfile({
  row: timeRow.optional(),
  isOfSystem: true,
  driver: (row): TimeDriver => (row?.driver === 'simulated' ? new SimulatedTime() : new Timedated()),
});
