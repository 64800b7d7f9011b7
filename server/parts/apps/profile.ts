import { z } from 'zod';
import { defineProfile, simulatedRow } from '../profile.ts';
import { DesktopApps } from './desktop/desktop.ts';
import { type AppsDriver, SimulatedApps } from './driver.ts';

const appsRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({ driver: z.literal('desktop') }),
]);

/** The programs beside the page. */
export const appsProfile = defineProfile({
  row: appsRow.optional(),
  driver(row, { desktop, log }): AppsDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedApps(desktop);
      case 'desktop':
        return new DesktopApps({ ...desktop, log });
    }
  },
});
