/** How long the id of a viewer that left may still be closed, in milliseconds. */
const REMEMBERED_MS = 30_000;
/** Most ids remembered; the oldest is dropped first. */
const MAX_IDS = 64;

/**
 * Ids of sessions that ended because their viewer left: a page may end its connection and send DELETE in either order.
 */
export class LeftIds {
  /** When each viewer left, the oldest first. */
  readonly #leftAt = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Remembers the id of a viewer that left. */
  add(id: string): void {
    this.#leftAt.delete(id);
    this.#leftAt.set(id, this.#now());
    if (this.#leftAt.size > MAX_IDS) this.#leftAt.delete(this.#leftAt.keys().next().value!);
  }

  /** Forgets an id. @returns whether its viewer left within the last 30 s. */
  take(id: string): boolean {
    const leftAt = this.#leftAt.get(id);
    this.#leftAt.delete(id);
    return leftAt !== undefined && this.#now() - leftAt < REMEMBERED_MS;
  }
}
