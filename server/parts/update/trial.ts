import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { KeptUpdate, UpdateState } from './contract.ts';
import type { ProvenPanel, UpdateDriver } from './driver.ts';
import type { Kept } from './kept.ts';
import { Proof } from './proof.ts';

/** The service may end by itself so often while a version proves itself. */
const MOST_ENDS = 3;

interface TrialOptions {
  readonly driver: UpdateDriver;
  /** The version that runs. */
  readonly installed: string;
  readonly panel: ProvenPanel;
  readonly kept: Kept;
  note(command: string, params: object): void;
  onState(state: UpdateState['state']): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The running version while it has to prove itself, and the way back to the one before. */
export class Trial {
  readonly #options: TrialOptions;
  #proof: Proof | undefined;
  #cancelReturn = () => {};

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  /** After a start: proves the version that runs, or goes on with the way back. */
  async goOn(trying: NonNullable<KeptUpdate['trying']>): Promise<void> {
    const { panel, kept, clock, log, onState } = this.#options;
    const { version, page, reason } = trying;
    const starts = trying.starts + 1;
    await kept
      .save({ waiting: null, trying: { ...trying, starts } })
      .catch((error: unknown) => log.error({ err: error }, 'update: could not count the start'));
    if (reason !== null && starts > MOST_ENDS) {
      log.error({ version, reason }, 'update: could not start the previous version');
      await this.#giveUp();
      return;
    }
    if (reason !== null) return this.return(reason, 0);
    if (starts > MOST_ENDS) return this.return(`The service ended by itself ${MOST_ENDS} times.`, 0);
    this.#proof = new Proof({
      panel,
      pageBefore: page,
      clock,
      onGood: () => void this.#good(version),
      onFailed: (why) => void this.return(why, 0),
    });
    this.#proof.start();
    onState('proving');
  }

  /** The panel is up: from now on the proof counts. */
  ready(): void {
    this.#proof?.ready();
  }

  /** Goes back to the version before. @param reason a sentence. @throws FaceplateError STORAGE_FULL */
  async return(reason: string, afterMs: number): Promise<void> {
    const { driver, installed, kept, clock, log, onState } = this.#options;
    this.#proof?.stop();
    this.#proof = undefined;
    const starts = kept.value.trying?.reason == null ? 0 : kept.value.trying.starts;
    const trying = { version: installed, slot: driver.slot, page: null, starts, reason };
    // Asked for by nobody it has to happen on a full disk too.
    if (afterMs > 0) await kept.save({ trying });
    else
      await kept
        .save({ trying })
        .catch((error: unknown) => log.error({ err: error }, 'update: could not save the state'));
    onState('restarting');
    log.warn({ version: installed, reason }, 'update: rolling back to the previous version');
    this.#cancelReturn = clock.after(afterMs, () => {
      driver.return().catch((error: unknown) => {
        log.error({ err: error }, 'update: could not start the previous version');
        void this.#giveUp();
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancelReturn();
    const { kept } = this.#options;
    const { trying } = kept.value;
    if (this.#proof !== undefined && trying !== null)
      // An end in order is none of those that count.
      await kept.save({ trying: { ...trying, starts: trying.starts - 1 } }).catch(() => {});
    this.#proof?.stop();
    this.#proof = undefined;
  }

  async #good(version: string): Promise<void> {
    const { driver, kept, note, onState, log } = this.#options;
    this.#proof = undefined;
    try {
      await driver.markGood();
      log.info({ version }, 'update: new version confirmed');
      note('update.state', { version, result: 'good', reason: null });
      await kept.noteGood(version);
    } catch (error) {
      log.error({ version, err: error }, 'update: could not record that the version is confirmed');
    }
    onState('idle');
  }

  async #giveUp(): Promise<void> {
    const { kept, log, onState } = this.#options;
    await kept
      .save({ trying: null })
      .catch((error: unknown) => log.error({ err: error }, 'update: could not save the state'));
    onState('idle');
  }
}
