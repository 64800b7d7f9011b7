/** Slabs of one size that are kept for the next viewer: as many as there are sessions. */
const MAX_KEPT = 8;

/**
 * Memory for rings of packets. What a viewer leaves behind is taken over by the next one: 1.6 MB each would else wait for
 * the collector, and pages that come and go would spread the process over ever more memory.
 */
export class SlabPool {
  readonly #free = new Map<number, Buffer[]>();

  /** @returns memory that nobody else has; it holds what was written there before. */
  take(bytes: number): Buffer {
    return this.#free.get(bytes)?.pop() ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** @param slab of `take`, given back once and not used again. */
  giveBack(slab: Buffer): void {
    const kept = this.#free.get(slab.length) ?? [];
    if (kept.length >= MAX_KEPT) return;
    kept.push(slab);
    this.#free.set(slab.length, kept);
  }

  clear(): void {
    this.#free.clear();
  }
}
