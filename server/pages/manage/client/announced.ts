import type { EventListener, SnapshotParts } from './panel.ts';
import { panel } from './panel.ts';

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
  /** The state of all parts; empty until the panel has told it. */
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
