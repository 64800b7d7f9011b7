import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isReachable } from '../client/httpPanel.ts';
import { CallError, type EventListener, type Params, panel, type SnapshotParts } from '../client/panel.ts';
import { store, useStore } from './store.ts';

/** What came of a call that a view makes when it opens. */
interface Loaded<R> {
  readonly data: R | undefined;
  readonly error: CallError | undefined;
  /** Makes the call again; what was there stays until the answer comes. */
  readonly reload: () => Promise<void>;
}

/** Makes a call when the component appears. */
export function useCall<R>(command: string, params: Params = {}): Loaded<R> {
  const [state, setState] = useState<{ data?: R; error?: CallError }>({});
  const isThere = useRef(true);
  const key = JSON.stringify(params);
  const reload = useCallback(async () => {
    try {
      const data = (await panel().call(command, JSON.parse(key) as Params)) as R;
      if (isThere.current) setState({ data });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (isThere.current) setState((old) => ({ ...old, error }));
    }
  }, [command, key]);
  useEffect(() => {
    isThere.current = true;
    void reload();
    // What was read before the panel went away is no longer true when it is back.
    const unsubscribe = isReachable.subscribe(() => {
      if (isReachable.get()) void reload();
    });
    return () => {
      isThere.current = false;
      unsubscribe();
    };
  }, [reload]);
  return { data: state.data, error: state.error, reload };
}

/** Does something again and again while the component is there and the tab is seen. */
export function useEvery(ms: number, act: () => unknown): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

const parts = store<SnapshotParts>({});

/** The state of all parts, as the panel announces it. */
export function useParts(): SnapshotParts {
  useEffect(() => announced.listen(() => parts.set(announced.parts)), []);
  return useStore(parts);
}

/** Calls `act` for each announcement of this name while the component is there. */
export function useEvent(name: string, act: (entry: unknown) => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(
    () =>
      announced.listen((event, entry) => {
        if (event === name) latest.current(entry);
      }),
    [name],
  );
}

/** Parts that the snapshot lists one by one, and what tells one from the others. */
const LISTS: Readonly<Record<string, { readonly part: string; readonly key: string }>> = {
  gpio: { part: 'gpio', key: 'pin' },
  serial: { part: 'serial', key: 'port' },
  stream: { part: 'streams', key: 'id' },
};

type Entry = Readonly<Record<string, unknown>>;

/** What the panel announces, for all views by one stream: it is open while anybody listens. */
class Announced {
  readonly #listeners = new Set<EventListener>();
  #end: (() => void) | undefined;
  /** The state of all parts; empty until the panel has sent it. */
  parts: SnapshotParts = {};

  /** @returns the function that ends it */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    if (Object.keys(this.parts).length > 0) listener('snapshot', this.parts);
    this.#end ??= panel().events((event, entry) => this.#take(event, entry));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#end?.();
      this.#end = undefined;
      this.parts = {};
    };
  }

  #take(event: string, entry: unknown): void {
    this.parts = merged(this.parts, event, entry);
    for (const listener of [...this.#listeners]) listener(event, entry);
  }
}

function merged(parts: SnapshotParts, event: string, entry: unknown): SnapshotParts {
  if (event === 'snapshot') return entry as SnapshotParts;
  const list = LISTS[event];
  if (list === undefined) return { ...parts, [event]: entry };
  const old = ((parts as Record<string, unknown>)[list.part] ?? []) as Entry[];
  const one = entry as Entry;
  const isThere = old.some((other) => other[list.key] === one[list.key]);
  const next = isThere
    ? old.map((other) => (other[list.key] === one[list.key] ? one : other))
    : [...old, one];
  return { ...parts, [list.part]: next };
}

export const announced = new Announced();

/** A call that a person starts, again and again: whether it is under way, and what came of the last one. */
interface Tried<R> {
  readonly isBusy: boolean;
  readonly outcome: R | undefined;
  readonly error: CallError | undefined;
  /** What came of the one before is gone at once. */
  readonly run: (call: () => Promise<R>) => Promise<void>;
}

/** Keeps the state of a call for the component that starts it. */
export function useTried<R>(): Tried<R> {
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<R>();
  const [error, setError] = useState<CallError>();
  const run = async (call: () => Promise<R>) => {
    setBusy(true);
    setOutcome(undefined);
    setError(undefined);
    try {
      const made = await call();
      setOutcome(() => made);
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, outcome, error, run };
}
