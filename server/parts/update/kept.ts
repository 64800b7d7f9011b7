import { join } from 'node:path';
import type { WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { StateFile } from '../../platform/stateFile.ts';
import { type KeptUpdate, keptUpdate } from './contract.ts';

/** Versions that were taken back, of which the newest are kept. */
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
      // Version 2 tells slots apart; without a slot there is none.
      steps: [(value) => value],
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
