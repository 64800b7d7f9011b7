import { useEffect, useState } from 'preact/hooks';

/** A value that parts of the screen follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

/** Makes one. */
export function store<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store, in a component that is drawn again when it changes. */
export function useStore<T>(from: Store<T>): T {
  const [, draw] = useState(0);
  useEffect(() => from.subscribe(() => draw((count) => count + 1)), [from]);
  return from.get();
}
