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

/** A choice of one of a few words that this browser remembers; the first one is the default. */
function choice<T extends string>(key: string, words: readonly [T, ...T[]]): Store<T> {
  const known = (text: string | null) => words.find((word) => word === text) ?? words[0];
  const chosen = store<T>(known(read(key)));
  return {
    get: chosen.get,
    subscribe: chosen.subscribe,
    set(word) {
      try {
        localStorage.setItem(key, word);
      } catch {
        // It holds until the page is closed.
      }
      chosen.set(word);
    },
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Light, dark, or as the system has it. */
export const theme = choice('theme', ['auto', 'light', 'dark']);

/** Whether keys, ids and calls are shown, and the views for developers. */
export const developerMode = choice('developer', ['off', 'on']);
