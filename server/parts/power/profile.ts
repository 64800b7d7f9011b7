import { z } from 'zod';
import { defineProfile, simulatedRow } from '../profile.ts';
import { type PowerDriver, SimulatedPower } from './driver.ts';
import { Logind } from './logind.ts';

const powerRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({ driver: z.literal('logind') }),
]);

/** What restarts and suspends the panel. */
export const powerProfile = defineProfile({
  row: powerRow.optional(),
  driver(row): PowerDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedPower();
      case 'logind':
        return new Logind();
    }
  },
});
