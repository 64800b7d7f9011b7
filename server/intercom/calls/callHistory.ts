import type { Logger } from '../../platform/log.ts';
import { StateFile, type StateKind } from '../../platform/stateFile.ts';
import { callHistory, type HistoryEntry, MAX_HISTORY } from '../sipContract.ts';
import type { CallRecord } from './callRecord.ts';

/** Facts of a call that are known only once it is over. */
export type HistoryFacts = Pick<HistoryEntry, 'outcome' | 'seconds' | 'hasVideo' | 'viaPbx'>;

export const callsKind: StateKind<HistoryEntry[]> = { name: 'calls', schema: callHistory, defaults: [] };

/** The last calls, newest first, in `<dataDir>/calls.json`. */
export class CallHistory {
  readonly #file: StateFile<HistoryEntry[]>;
  readonly #log: Logger;
  #calls: readonly HistoryEntry[] = [];
  #saving: Promise<void> = Promise.resolve();

  constructor(dataDir: string, log: Logger) {
    this.#file = StateFile.of(callsKind, dataDir, log);
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#calls = await this.#file.load();
  }

  /** Stops; resolves once all entries are on disk. */
  async stop(): Promise<void> {
    await this.#saving;
  }

  list(): HistoryEntry[] {
    return [...this.#calls];
  }

  /** Adds a call that is over. A full disk loses the file, never the call. */
  add({ id: callId, ...record }: CallRecord, facts: HistoryFacts): void {
    this.#calls = [{ callId, ...record, ...facts }, ...this.#calls].slice(0, MAX_HISTORY);
    this.#saving = this.#file
      .save([...this.#calls])
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the call history was not written'));
  }
}
