import type { Clock } from '../../platform/clock.ts';

/** Nothing keeps the panel awake for longer without an activity, in milliseconds: a page may forget its wake lock. */
const LONGEST_MS = 12 * 3_600_000;
/** More at a time are not told apart: who floods, keeps the panel awake with one. */
const MAX_NAMED = 64;

/** What keeps the panel awake. */
export class Holds {
  readonly #clock: Clock;
  readonly #named = new Set<string>();
  #unnamed = 0;
  #touchedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#touchedAt = clock.now();
  }

  /** An activity: everything may keep the panel awake anew. */
  touched(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** Whether something may still keep the panel awake. */
  get isAllowed(): boolean {
    return this.#clock.now() - this.#touchedAt < LONGEST_MS;
  }

  get isHeld(): boolean {
    return this.#unnamed + this.#named.size > 0 && this.isAllowed;
  }

  /** @returns the function that ends it; it returns false from the second call on */
  add(): () => boolean {
    this.#unnamed++;
    let isOpen = true;
    return () => {
      if (!isOpen) return false;
      isOpen = false;
      this.#unnamed--;
      return true;
    };
  }

  begin(name: string): void {
    if (this.#named.size < MAX_NAMED) this.#named.add(name);
  }

  end(name: string): void {
    this.#named.delete(name);
  }

  endAll(prefix: string): void {
    for (const name of [...this.#named]) if (name.startsWith(prefix)) this.#named.delete(name);
  }
}
