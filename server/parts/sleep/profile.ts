import { z } from 'zod';
import { defineProfile, devicePath, simulatedRow } from '../profile.ts';
import { type RtcDriver, SimulatedRtc } from './driver.ts';
import { Wakealarm } from './wakealarm.ts';

const rtcRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({
    driver: z.literal('wakealarm'),
    path: devicePath.describe('folder of the clock, such as /sys/class/rtc/rtc0'),
  }),
]);

/** The clock that can wake the panel. */
export const rtcProfile = defineProfile({
  row: rtcRow.optional(),
  driver(row): RtcDriver | null {
    switch (row?.driver) {
      case undefined:
        return null;
      case 'simulated':
        return new SimulatedRtc();
      case 'wakealarm':
        return new Wakealarm(row.path);
    }
  },
});
