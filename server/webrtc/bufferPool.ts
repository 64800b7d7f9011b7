/** Most spare slabs of one size, for the next viewer: the number of sessions. */
const MAX_KEPT = 8;

/**
 * Memory for rings of packets. The next viewer reuses the memory of the last one: otherwise 1.6 MB each would wait for
 * the collector, and pages that come and go would make the process grow.
 */
export class BufferPool {
  readonly #free = new Map<number, Buffer[]>();

  /** @returns memory for the caller alone; it still contains old bytes. */
  take(bytes: number): Buffer {
    return this.#free.get(bytes)?.pop() ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** @param slab from `take`; give it back once and do not use it again. */
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
