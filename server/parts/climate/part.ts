import { definePart } from '../part.ts';
import { climateCommands } from './contract.ts';
import { ClimateService } from './service.ts';

/** Temperature and humidity around the panel. */
export const climate = definePart(
  'climate',
  ({ drivers, clock, events, log }) => new ClimateService({ driver: drivers.climate, clock, events, log }),
)
  .answering(climateCommands)
  .reporting({ snapshot: (service) => ({ climate: service.snapshot() }) })
  .showing((service) => ({ climate: service.measured }));
