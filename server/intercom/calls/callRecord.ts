import { randomUUID } from 'node:crypto';
import type { CallStatus, HistoryEntry } from '../sipContract.ts';
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
