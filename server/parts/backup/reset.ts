import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { markReset } from '../../platform/files/dataFolder.ts';
import { storageRefusal } from '../../platform/files/wholeFile.ts';
import type { Logger } from '../../platform/log.ts';

interface ResetOptions {
  readonly dataDir: string;
  panelName(): string;
  /** Ends the service; the next start finds the panel as new. */
  restart(): void;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Who asked, as far as the journal tells it. */
interface Asked {
  readonly identity: { readonly id: string; readonly name: string };
  readonly origin: string;
}

/** Time for the answer to reach its caller before the service ends, in milliseconds. */
const ANSWER_MS = 500;

/** Makes the panel as new. The marker decides: once it is written, the reset is finished by the next start at the latest. */
export class ResetService {
  readonly #options: ResetOptions;
  #isMarked = false;

  constructor(options: ResetOptions) {
    this.#options = options;
  }

  /**
   * Answers first; the service ends half a second later. A second call meanwhile changes nothing.
   * @throws FaceplateError INVALID_REQUEST (another name), STORAGE_FULL
   */
  async reset(
    { confirm }: ParamsOf<'panel.reset'>,
    { identity, origin }: Asked,
  ): Promise<ResultOf<'panel.reset'>> {
    const { dataDir, panelName, restart, log, clock = systemClock } = this.#options;
    const name = panelName();
    if (confirm !== name)
      throw new FaceplateError(
        'INVALID_REQUEST',
        `To reset this panel, "confirm" must be its name, "${name}".`,
        {
          field: 'confirm',
        },
      );
    const isAtGlass = identity.id === 'panel';
    const note = {
      time: new Date().toISOString(),
      command: 'panel.reset',
      surface: isAtGlass ? 'panel' : 'http',
      caller: { id: identity.id, name: identity.name, address: isAtGlass ? null : origin },
      params: { confirm },
      code: 'OK',
      ms: 0,
    };
    await markReset(dataDir, note).catch((error: unknown) => {
      throw storageRefusal('reset', error);
    });
    if (!this.#isMarked) {
      this.#isMarked = true;
      log.warn({ caller: identity.id }, 'backup: factory reset requested');
      clock.after(ANSWER_MS, restart);
    }
    return { status: 'resetting' };
  }
}
