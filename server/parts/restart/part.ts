import { systemCommands } from '../../contract/system.ts';
import { definePart } from '../part.ts';
import { RestartService } from './service.ts';

/** Restarts the service, where somebody starts it again. */
export const restart = definePart(
  'restart',
  ({ isWatched, restartService, log }) =>
    new RestartService({ restart: isWatched ? () => restartService('asked') : null, log }),
).answering({ 'system.restart': systemCommands['system.restart'] });
