import type { Recorded } from './recordedJournal.ts';

/** What is replayed. */
export interface RecordedSource {
  readonly facts: { readonly entries: number; readonly lines: number };
  /** Oldest first. @throws an errno exception */
  read(): AsyncIterable<Recorded>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/** The commands of this desk. */
export interface ReplayedCalls {
  /** Whether the contract lets a replay carry it out; any text may be asked. */
  mayRun(command: string): boolean;
  /** @returns `OK`, or the code of the error; never rejects */
  run(command: string, params: unknown, signal: AbortSignal): Promise<string>;
}
