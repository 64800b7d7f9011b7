/** Packets before the newest one that are still accepted (RFC 3711 section 3.3.2). */
const WINDOW = 64;
const WINDOW_MASK = (1n << BigInt(WINDOW)) - 1n;

/**
 * The 48-bit packet index of one SRTP stream, and which packets have already arrived (RFC 3711 sections 3.3.1 and
 * 3.3.2).
 */
export class PacketIndex {
  #newest: number | undefined;
  /** Bit n: the packet n before the newest was accepted. */
  #taken = 0n;

  /** The index of a sequence number; undefined if that packet has already arrived or is too old. */
  guess(sequence: number): number | undefined {
    if (this.#newest === undefined) return sequence;
    const ahead = ((sequence - this.#newest) << 16) >> 16;
    const index = this.#newest + ahead;
    if (ahead > 0) return index;
    if (index < 0 || ahead <= -WINDOW || ((this.#taken >> BigInt(-ahead)) & 1n) === 1n) return undefined;
    return index;
  }

  /** The packet of this index was genuine. */
  accept(index: number): void {
    const newest = this.#newest ?? index;
    const ahead = index - newest;
    if (ahead >= 0) {
      this.#taken = ((this.#taken << BigInt(ahead)) | 1n) & WINDOW_MASK;
      this.#newest = index;
    } else this.#taken |= 1n << BigInt(-ahead);
  }
}
