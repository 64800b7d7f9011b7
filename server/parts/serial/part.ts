import { definePart } from '../part.ts';
import { serialCommands } from './contract.ts';
import { SerialService } from './service.ts';

/** Serial lines, RS-485 among them. */
export const serial = definePart(
  'serial',
  ({ drivers, events, log }) => new SerialService({ ports: drivers.serial, events, log }),
)
  .answering(serialCommands, (service) => ({
    'serial.break': (params, context) => service.sendBreak(params, context),
  }))
  .reporting({ info: (service) => service.parts(), snapshot: (service) => ({ serial: service.snapshot() }) });
