import { definePart } from '../part.ts';
import { networkCommands } from './contract.ts';
import { NetworkService } from './service.ts';

/** Addresses and Wi-Fi of the panel. */
export const network = definePart(
  'network',
  ({ drivers, log }) => new NetworkService({ driver: drivers.network, log }),
).answering(networkCommands);
