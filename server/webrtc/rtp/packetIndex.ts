/** Packets before the newest one that are still accepted (RFC 3711 section 3.3.2). */
const WINDOW = 64;
const WINDOW_MASK = (1n << BigInt(WINDOW)) - 1n;

/**
 * The packet index of one SRTP stream, 48 bits, or of one SRTCP stream, 31 bits, and which packets have already arrived
 * (RFC 3711 sections 3.3.1 and 3.3.2).
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
    return index >= 0 && this.isNew(index) ? index : undefined;
  }

  /** Whether the packet of this index has not arrived and is not too old. */
  isNew(index: number): boolean {
    const age = this.#newest === undefined ? -1 : this.#newest - index;
    return age < 0 || (age < WINDOW && ((this.#taken >> BigInt(age)) & 1n) === 0n);
  }

  /** The packet of this index was genuine. */
  accept(index: number): void {
    const newest = this.#newest ?? index;
    const ahead = index - newest;
    if (ahead >= 0) {
      const older = ahead < WINDOW ? this.#taken << BigInt(ahead) : 0n;
      this.#taken = (older | 1n) & WINDOW_MASK;
      this.#newest = index;
    } else this.#taken |= 1n << BigInt(-ahead);
  }
}

/** The indexes of the streams of one remote side, by SSRC. Too many make it forget the oldest. */
export class PacketIndexes {
  readonly #most: number;
  readonly #streams = new Map<number, PacketIndex>();

  /** @param most streams that are remembered */
  constructor(most: number) {
    this.#most = most;
  }

  /** The index of a stream; one that is not known is remembered only once a packet of it was genuine. */
  of(ssrc: number): PacketIndex {
    return this.#streams.get(ssrc) ?? new PacketIndex();
  }

  /** The packet of this index, of a stream from `of`, was genuine. */
  accept(ssrc: number, stream: PacketIndex, index: number): void {
    stream.accept(index);
    if (this.#streams.has(ssrc)) return;
    const oldest = this.#streams.keys().next().value;
    if (this.#streams.size >= this.#most && oldest !== undefined) this.#streams.delete(oldest);
    this.#streams.set(ssrc, stream);
  }
}
