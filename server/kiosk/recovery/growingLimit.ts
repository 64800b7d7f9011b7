/** A limit never grows beyond this many times its first length. */
const MOST = 16;

/**
 * How long one kind of try may take. Each try that is cut off doubles the limit of the next one, so a slow panel comes
 * up late instead of never. A try that ends within the first limit restores the first limit; a try that needed more
 * keeps the limit that it needed.
 */
export class GrowingLimit {
  readonly #firstMs: number;
  #ms: number;

  /** @param firstMs the limit for a panel that is not slow, in milliseconds */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
    this.#ms = firstMs;
  }

  /** The limit of the next try, in milliseconds. */
  get ms(): number {
    return this.#ms;
  }

  /** A try was cut off by its limit. */
  missed(): void {
    this.#ms = Math.min(this.#firstMs * MOST, this.#ms * 2);
  }

  /** @param tookMs how long a try took that ended in time */
  met(tookMs: number): void {
    if (tookMs <= this.#firstMs) this.#ms = this.#firstMs;
  }
}
