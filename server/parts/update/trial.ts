import { join } from 'node:path';
import type { PageState } from '../../kiosk/contract.ts';
import type { Clock, WallClock } from '../../platform/clock.ts';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type KeptUpdate, keptUpdate, type UpdateState } from './contract.ts';
import type { ProvenPanel, UpdateDriver } from './driver.ts';

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
  /** The boot of the machine, another one each time; null where that is not known. */
  boot(): string | null;
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

  /** After a start: proves the version that runs, or continues the way back. */
  async goOn(trying: NonNullable<KeptUpdate['trying']>): Promise<void> {
    const { panel, kept, clock, log, onState } = this.#options;
    const { version, page, reason } = trying;
    const boot = this.#options.boot();
    // What ended with the machine did not end by itself: the power was cut, which those count who start the version.
    const isSameBoot = trying.boot === null || boot === null || trying.boot === boot;
    const starts = isSameBoot ? trying.starts + 1 : Math.max(1, trying.starts);
    await kept
      .save({ waiting: null, trying: { ...trying, starts, boot } })
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

  /** Returns to the version before. @param reason a sentence. @throws FaceplateError STORAGE_FULL */
  async return(reason: string, afterMs: number): Promise<void> {
    const { driver, installed, kept, clock, log, onState } = this.#options;
    this.#proof?.stop();
    this.#proof = undefined;
    const starts = kept.value.trying?.reason == null ? 0 : kept.value.trying.starts;
    const boot = this.#options.boot();
    const trying = { version: installed, slot: driver.slot, page: null, starts, boot, reason };
    // Without a caller it has to happen on a full disk too.
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

/** Versions that were taken back; only the newest are stored. */
const MOST_RETURNED = 50;

/** What the next start has to know of updates. */
export class Kept {
  readonly #file: StateFile<KeptUpdate>;
  readonly #clock: WallClock;

  constructor(dataDir: string, clock: WallClock, log: Logger) {
    this.#clock = clock;
    this.#file = new StateFile({
      path: join(dataDir, 'update.json'),
      schema: keptUpdate,
      // Version 2 tells slots apart, version 3 boots; without them there is none.
      steps: [(value) => value, (value) => value],
      defaults: { last: null, waiting: null, trying: null, returned: [] },
      log,
    });
  }

  get value(): KeptUpdate {
    return this.#file.value;
  }

  load(): Promise<KeptUpdate> {
    return this.#file.load();
  }

  /** @throws FaceplateError STORAGE_FULL */
  save(changed: Partial<KeptUpdate>): Promise<void> {
    return this.#file.save({ ...this.#file.value, ...changed });
  }

  /** @throws FaceplateError STORAGE_FULL */
  noteGood(version: string): Promise<void> {
    const last = { version, result: 'good', reason: null, at: this.#now() } as const;
    const returned = this.#file.value.returned.filter((one) => one !== version);
    return this.save({ trying: null, last, returned });
  }

  /** @param reason a sentence. @throws FaceplateError STORAGE_FULL */
  noteReturned(version: string, reason: string): Promise<void> {
    const last = { version, result: 'returned', reason, at: this.#now() } as const;
    const others = this.#file.value.returned.filter((one) => one !== version);
    return this.save({
      waiting: null,
      trying: null,
      last,
      returned: [...others, version].slice(-MOST_RETURNED),
    });
  }

  #now(): string {
    return new Date(this.#clock.wall()).toISOString();
  }
}

/** How long a version has to be well, and when it has failed, in milliseconds. */
const WELL_MS = 60_000;
const LIMIT_MS = 15 * 60_000;
const PROOF_LOOK_MS = 1_000;

interface ProofOptions {
  readonly panel: ProvenPanel;
  /** What the page was before the update, where it was not shown; null: it was. */
  readonly pageBefore: PageState['state'] | null;
  readonly clock: Clock;
  onGood(): void;
  /** @param reason a sentence */
  onFailed(reason: string): void;
}

/** The proof of a new version: the service is well, and the page shown, for a minute on end. */
class Proof {
  readonly #options: ProofOptions;
  #isReady = false;
  #wellSince: number | undefined;
  #page: string | undefined;
  #cancels: (() => void)[] = [];

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** Begins the 15 minutes; nothing counts before `ready`. */
  start(): void {
    const { clock, onFailed } = this.#options;
    const limit = clock.after(LIMIT_MS, () => {
      this.stop();
      onFailed(`It did not prove itself within ${LIMIT_MS / 60_000} minutes: ${this.#whyNot()}.`);
    });
    this.#cancels = [limit];
    this.#look();
  }

  /** The start is over: from now on the panel can be well. */
  ready(): void {
    this.#isReady = true;
  }

  stop(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #look(): void {
    const { clock, onGood } = this.#options;
    const now = clock.now();
    const page = this.#options.panel.page();
    if (!this.#isWell()) this.#wellSince = undefined;
    else if (this.#wellSince === undefined || page?.since !== this.#page) {
      this.#wellSince = now;
      this.#page = page?.since;
    }
    if (this.#wellSince !== undefined && now - this.#wellSince >= WELL_MS) {
      this.stop();
      onGood();
      return;
    }
    this.#cancels[1] = clock.after(PROOF_LOOK_MS, () => this.#look());
  }

  #isWell(): boolean {
    const { panel, pageBefore } = this.#options;
    if (!this.#isReady || !panel.isWell()) return false;
    const state = panel.page()?.state;
    // A server that is away says nothing about this version.
    return state === undefined || state === 'shown' || state === 'waiting' || state === pageBefore;
  }

  #whyNot(): string {
    const { panel } = this.#options;
    if (!this.#isReady) return 'its start did not end';
    if (!panel.isWell()) return 'the service was not well';
    return this.#isWell() ? 'the page did not stay as it was' : `the page was ${panel.page()?.state}`;
  }
}
