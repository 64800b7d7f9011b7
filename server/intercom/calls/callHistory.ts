import { randomUUID } from 'node:crypto';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type CallStatus, callHistory, type HistoryEntry, MAX_HISTORY } from '../sipContract.ts';
import type { CallOutcome, CallPhase } from './callSession.ts';

/** The facts of a call, without its state. */
export interface CallRecord {
  readonly id: string;
  readonly direction: 'incoming' | 'outgoing';
  /** Cleaned, safe to show. */
  readonly name: string;
  /** Address or extension of the remote party. */
  readonly address: string;
  readonly isBroadcast: boolean;
  /** ISO 8601 */
  readonly startedAt: string;
}

/** The record of a call that starts now. */
export function newRecord(
  direction: CallRecord['direction'],
  facts: { readonly name: string; readonly address: string; readonly isBroadcast?: boolean },
): CallRecord {
  return { isBroadcast: false, ...facts, id: randomUUID(), direction, startedAt: new Date().toISOString() };
}

/** The remote party, as signalling knows it. */
export interface RemoteParty {
  readonly viaPbx: boolean;
  /** The remote party is not another Faceplate. */
  readonly legacy: boolean;
}

/** The text of `callStatus` for a call. */
export function statusWords(
  phase: CallPhase,
  record: CallRecord,
  { viaPbx, legacy }: RemoteParty,
): CallStatus {
  switch (phase) {
    case 'calling':
      return 'calling...';
    case 'ringing':
      return 'ringing';
    case 'incoming':
      return 'incoming...';
    case 'over':
      return 'idle';
    case 'connected':
      if (record.direction === 'incoming') return 'connected (incoming)';
      if (viaPbx)
        return legacy ? 'connected (outgoing via PBX, legacy audio)' : 'connected (outgoing via PBX)';
      return legacy ? 'connected (outgoing, legacy audio)' : 'connected (outgoing)';
  }
}

/** The history entry of a call that is over. */
export function historyOutcome(
  record: CallRecord,
  outcome: CallOutcome,
  state: { readonly wasConnected: boolean; readonly wasIgnored: boolean },
): HistoryEntry['outcome'] {
  if (state.wasConnected) return 'answered';
  if (outcome.kind === 'failed') {
    if (outcome.reason === 'busy') return 'busy';
    return outcome.reason === 'timeout' && record.direction === 'outgoing' ? 'noAnswer' : 'failed';
  }
  if (record.direction === 'outgoing') return 'cancelled';
  if (state.wasIgnored) return 'ignored';
  if (outcome.answeredElsewhere) return 'answeredElsewhere';
  return outcome.reason === 'rejected' || outcome.reason === 'local' ? 'rejected' : 'missed';
}

/** Facts of a call that are known only once it is over. */
export type HistoryFacts = Pick<HistoryEntry, 'outcome' | 'seconds' | 'hasVideo' | 'viaPbx' | 'mediaFrom'>;

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
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'intercom: could not write the call history'),
      );
  }
}
