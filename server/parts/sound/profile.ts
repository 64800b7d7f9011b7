import { z } from 'zod';
import { defineProfile, simulatedRow } from '../profile.ts';
import { AlsaSound } from './alsa.ts';
import { SimulatedSound, type SoundDriver } from './driver.ts';

const soundRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({ driver: z.literal('alsa') }),
]);

/** The loudspeaker of the system. */
export const soundProfile = defineProfile({
  row: soundRow.optional(),
  isOfSystem: true,
  driver(row, { clock }): SoundDriver {
    const real = new AlsaSound();
    return row?.driver === 'simulated' ? new SimulatedSound(real, clock) : real;
  },
});
