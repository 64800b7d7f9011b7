import { systemCommands } from '../../contract/system.ts';
import { definePart } from '../part.ts';
import { PowerState } from '../powerState.ts';
import { PowerService } from './service.ts';

/** Restart and suspend. */
export const power = definePart(
  'power',
  ({ drivers, events, log }) =>
    new PowerService({ driver: drivers.power, state: new PowerState(events), log }),
)
  .answering({ 'system.reboot': systemCommands['system.reboot'] })
  .reporting({ snapshot: (service) => ({ power: service.snapshot() }) })
  .showing((service) => ({ canReboot: service.part().state !== 'absent' }));
