import { definePart } from '../part.ts';
import { PowerState } from '../powerState.ts';
import { PowerService } from './service.ts';

/** Restart and suspend. Its commands are those of the system. */
export const power = definePart(
  'power',
  ({ drivers, events, log }) =>
    new PowerService({ driver: drivers.power, state: new PowerState(events), log }),
).reporting({ snapshot: (service) => ({ power: service.snapshot() }) });
