import { definePart } from '../part.ts';
import { healthCommands } from './contract.ts';
import { Machine } from './machine.ts';
import { HealthService } from './service.ts';

// `metrics` answers the first.
const { 'metrics.read': _, ...own } = healthCommands;

/** How the machine and its page are. */
export const health = definePart(
  'health',
  ({ dataDir, kiosk, undone, events, clock, log }) =>
    new HealthService({
      driver: new Machine({ dataDir }),
      browserMemory: () => kiosk.browserMemory(),
      page: () => kiosk.pageSnapshot() ?? null,
      undone: undone.list,
      events,
      clock,
      log,
    }),
)
  .answering(own)
  .showing(async (service) => ({ hasTemperature: await service.hasTemperature() }));
