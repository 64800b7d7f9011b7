import { definePart } from '../part.ts';
import { ledCommands } from './contract.ts';
import { LedService } from './service.ts';

/** The LED bar. */
export const led = definePart(
  'led',
  ({ drivers, dataDir, events, log }) => new LedService({ driver: drivers.led, dataDir, events, log }),
)
  .answering(ledCommands)
  .reporting({ snapshot: (service) => ({ led: service.snapshot() }) })
  .showing((service) => ({ led: service.snapshot() }));
