import type { Feed } from '../contract/command.ts';
import { FaceplateError } from '../contract/errors.ts';

/** Callers who may follow one feed at one time. */
const MAX_READERS = 32;

/** The last entries of something that goes on, and those who follow it. */
export class Tail<T> {
  readonly #length: number;
  #kept: T[] = [];
  readonly #readers = new Set<(entry: T) => void>();
  #isTelling = false;

  /** @param length how many entries are kept */
  constructor(length: number) {
    this.#length = length;
  }

  /** Keeps an entry and sends it to all who follow. What they cause by this is kept, but not sent to them again. */
  add(entry: T): void {
    this.#kept.push(entry);
    // Cut rarely: moving a long array costs as much for one entry as for many.
    if (this.#kept.length >= 2 * this.#length) this.#kept = this.#kept.slice(-this.#length);
    if (this.#isTelling || this.#readers.size === 0) return;
    this.#isTelling = true;
    try {
      for (const read of this.#readers) read(entry);
    } finally {
      this.#isTelling = false;
    }
  }

  /** The kept entries, oldest first. */
  get kept(): readonly T[] {
    return this.#kept.slice(-this.#length);
  }

  /**
   * What is kept, then what comes.
   * @param choose makes of an entry what the reader gets; undefined leaves it out
   * @throws FaceplateError CONFLICT when too many follow already
   */
  feed<E>(event: string, choose: (entry: T) => E | undefined): Feed<E> {
    if (this.#readers.size >= MAX_READERS)
      throw new FaceplateError('CONFLICT', `At most ${MAX_READERS} callers can follow this at one time.`);
    return {
      event,
      open: (send) => {
        const read = (entry: T): void => {
          const chosen = choose(entry);
          if (chosen !== undefined) send(chosen);
        };
        for (const entry of this.kept) read(entry);
        this.#readers.add(read);
        return () => this.#readers.delete(read);
      },
    };
  }
}
