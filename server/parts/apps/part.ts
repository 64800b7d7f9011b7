import { definePart } from '../part.ts';
import { appsCommands } from './contract.ts';
import { AppsService } from './service.ts';

/** Programs of the desktop beside the page. */
export const apps = definePart(
  'apps',
  ({ drivers, kiosk, events, log }) =>
    new AppsService({ driver: drivers.apps, events, log, onEnded: () => kiosk.bringToFront() }),
)
  .answering(appsCommands)
  .reporting({ snapshot: (service) => ({ apps: service.snapshot() }) });
