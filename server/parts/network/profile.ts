import { z } from 'zod';
import { defineProfile, simulatedRow } from '../profile.ts';
import { type NetworkDriver, SimulatedNetwork } from './driver.ts';
import { NetworkManager } from './networkManager.ts';

const networkRow = z.discriminatedUnion('driver', [
  simulatedRow,
  z.strictObject({ driver: z.literal('networkManager') }),
]);

/** The network of the system. */
export const networkProfile = defineProfile({
  row: networkRow.optional(),
  isOfSystem: true,
  driver: (row): NetworkDriver =>
    row?.driver === 'simulated' ? new SimulatedNetwork() : new NetworkManager(),
});
