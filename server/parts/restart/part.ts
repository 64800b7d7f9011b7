import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { systemCommands } from '../../contract/system.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { definePart } from '../part.ts';

interface RestartOptions {
  /** Ends the service; null where nothing would start it again. */
  readonly restart: (() => void) | null;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Time for the answer to reach its caller before the service ends, in milliseconds. */
const ANSWER_MS = 500;

/** Restarts the service, where somebody starts it again. */
export class RestartService {
  readonly #options: RestartOptions;
  #isAsked = false;

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** Answers first. A second call meanwhile changes nothing. @throws FaceplateError UNSUPPORTED_HARDWARE */
  restart(): ResultOf<'system.restart'> {
    const { restart, log, clock = systemClock } = this.#options;
    if (restart === null)
      throw new FaceplateError(
        'UNSUPPORTED_HARDWARE',
        'This service was started by hand: nobody would start it again.',
      );
    if (!this.#isAsked) {
      this.#isAsked = true;
      log.warn('restart: restart of the service requested');
      clock.after(ANSWER_MS, restart);
    }
    return { status: 'restarting' };
  }
}

/** Restarts the service, where somebody starts it again. */
export const restart = definePart(
  'restart',
  ({ isWatched, restartService, log }) =>
    new RestartService({ restart: isWatched ? () => restartService('asked') : null, log }),
).answering({ 'system.restart': systemCommands['system.restart'] });
