import type { Clock } from './clock.ts';

/** How long things stay whose holder neither hears events nor calls, in milliseconds. */
const UNHEARD_MS = 60_000;

interface Entry {
  /** What ends its things. */
  readonly ends: Set<() => void>;
  /** Places where it hears events. */
  present: number;
  cancel?: (() => void) | undefined;
}

/**
 * What belongs to one caller, listeners and sockets, and ends with it. A holder is the object that stands for a token, or
 * for one document of the page. Its things end when it ends, when the last place where it hears events is gone, and
 * where there is none a minute after its last call.
 */
export class ResourceScopes {
  readonly #clock: Clock;
  readonly #entries = new Map<object, Entry>();
  readonly #ended = new WeakSet<object>();
  readonly #onEnded = new Set<(holder: object) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Notes a thing of a holder. For one that has ended it is ended at once.
   * @returns the function that forgets it
   */
  hold(holder: object, end: () => void): () => void {
    if (this.#ended.has(holder)) {
      end();
      return () => {};
    }
    const entry = this.#entryOf(holder);
    entry.ends.add(end);
    this.touch(holder);
    return () => {
      entry.ends.delete(end);
      this.#tidy(holder, entry);
    };
  }

  /** A call of the holder that uses one of its things. */
  touch(holder: object): void {
    const entry = this.#entries.get(holder);
    if (entry === undefined || entry.present > 0) return;
    entry.cancel?.();
    entry.cancel = this.#clock.after(UNHEARD_MS, () => this.#endThings(holder, entry));
  }

  /** The holder hears events from now on. @returns the function that says it does no longer */
  attend(holder: object): () => void {
    const entry = this.#entryOf(holder);
    entry.present++;
    entry.cancel?.();
    entry.cancel = undefined;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      if (--entry.present === 0) this.#endThings(holder, entry);
    };
  }

  /** The holder is gone for good. */
  end(holder: object): void {
    this.#ended.add(holder);
    const entry = this.#entries.get(holder);
    if (entry !== undefined) this.#endThings(holder, entry);
    for (const listener of this.#onEnded) listener(holder);
  }

  /** Calls back when a holder is gone for good. @returns the function that ends it */
  onEnded(listener: (holder: object) => void): () => void {
    this.#onEnded.add(listener);
    return () => this.#onEnded.delete(listener);
  }

  /** Number of holders that are known, for leak checks. */
  get size(): number {
    return this.#entries.size;
  }

  /** Ends all things. */
  async stop(): Promise<void> {
    for (const [holder, entry] of [...this.#entries]) this.#endThings(holder, entry);
  }

  #entryOf(holder: object): Entry {
    const known = this.#entries.get(holder);
    if (known !== undefined) return known;
    const entry: Entry = { ends: new Set(), present: 0 };
    this.#entries.set(holder, entry);
    return entry;
  }

  #endThings(holder: object, entry: Entry): void {
    for (const end of [...entry.ends]) {
      entry.ends.delete(end);
      end();
    }
    this.#tidy(holder, entry);
  }

  #tidy(holder: object, entry: Entry): void {
    if (entry.ends.size > 0) return;
    entry.cancel?.();
    entry.cancel = undefined;
    if (entry.present === 0 && this.#entries.get(holder) === entry) this.#entries.delete(holder);
  }
}
