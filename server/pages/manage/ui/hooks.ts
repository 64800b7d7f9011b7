import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { announced } from '../client/announced.ts';
import { CallError, type Params, panel, type SnapshotParts } from '../client/panel.ts';
import { store, useStore } from './store.ts';

/** What came of a call that a view makes when it opens. */
export interface Loaded<R> {
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
    return () => {
      isThere.current = false;
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
