import { definePart } from '../part.ts';
import { timeCommands } from './contract.ts';
import { TimeService } from './service.ts';

/** Clock and time zone of the panel. */
export const time = definePart(
  'time',
  ({ drivers, log }) => new TimeService({ driver: drivers.time, log }),
).answering(timeCommands);
