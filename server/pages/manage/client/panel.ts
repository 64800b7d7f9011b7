import type { CommandName, ParamsOf, ResultOf } from '../../../contract/commands.ts';
import type { Snapshot } from '../../../contract/events.ts';
import { store } from '../ui/store.ts';

/** The panel refused or failed: its sentence and code. */
export class CallError extends Error {
  readonly code: string;
  /** The field of the params that is wrong, where the panel names one. */
  readonly field: string | undefined;

  constructor(message: string, code: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }

  /** Whether this panel, in its version or with its hardware, cannot do it at all. */
  get isMissing(): boolean {
    return ['NOT_FOUND', 'UNSUPPORTED_HARDWARE', 'SIP_DISABLED'].includes(this.code);
  }
}

/** A listener of an endless answer. */
export interface Follower {
  entry(entry: unknown): void;
  /** It is connected; stored entries come again after each connection. */
  open(): void;
  /** It ended: with an error that does not go away by itself, or to be tried again. */
  ended(error: CallError | undefined): void;
}

/** What the panel announces, beginning with the state of all parts. */
export type EventListener = (event: string, entry: unknown) => void;

export type Params = Readonly<Record<string, unknown>>;

/** The one way to the panel; a browser of the house and the glass each have theirs. */
export interface Panel {
  readonly door: 'browser' | 'glass';
  /** @throws CallError */
  call(command: string, params: Params): Promise<unknown>;
  /** The answer of a command that is a file. @throws CallError */
  media(command: string, params: Params): Promise<Blob>;
  /** Sends a file. @param onProgress gets the part that has left, 0 to 1. @throws CallError */
  upload(
    command: string,
    params: Params,
    file: Blob,
    onProgress: (part: number) => void,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Follows a command with an endless answer. @returns the function that ends it */
  follow(command: string, params: Params, follower: Follower): () => void;
  /** @returns the function that ends it */
  events(listener: EventListener): () => void;
  /** A WebSocket of the panel; undefined where this door has none. */
  socket(path: string, protocol: string): WebSocket | undefined;
}

export type SnapshotParts = Partial<Snapshot>;

let current: Panel | undefined;

/** The door that is open. @throws Error before one is */
export function panel(): Panel {
  if (current === undefined) throw new Error('No door to the panel is open.');
  return current;
}

/** From now on every call uses this door. */
export function usePanelAt(door: Panel): void {
  current = door;
}

/** Counts the changes of settings from here: the panel announces none, and what they lead to is read again. */
export const settingsChanges = store(0);

/** Runs a command of the contract. @throws CallError */
export async function call<N extends CommandName>(
  command: N,
  params: Partial<ParamsOf<N>> = {},
): Promise<ResultOf<N>> {
  const answer = (await panel().call(command, params as Params)) as ResultOf<N>;
  if (command === 'settings.change') settingsChanges.set(settingsChanges.get() + 1);
  return answer;
}

/** Runs a command that this panel may not have. @throws CallError, NOT_FOUND where it has none */
export function ask<R>(command: string, params: Params = {}): Promise<R> {
  return panel().call(command, params) as Promise<R>;
}
