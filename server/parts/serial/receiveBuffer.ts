/**
 * Keeps the last bytes that arrived, up to a limit; older ones are overwritten. A place in it is the number of bytes
 * that had ever arrived before, so that several readers can each have their own.
 */
export class ReceiveBuffer {
  readonly #ring: Uint8Array;
  /** Place of the oldest byte that is kept. */
  #start = 0;
  /** Place behind the newest. */
  #end = 0;

  constructor(capacity: number) {
    this.#ring = new Uint8Array(capacity);
  }

  /** The place of the oldest byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The place of the next byte that will arrive. */
  get end(): number {
    return this.#end;
  }

  push(bytes: Uint8Array): void {
    const capacity = this.#ring.length;
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    const at = (this.#end + bytes.length - kept.length) % capacity;
    const untilWrap = capacity - at;
    this.#ring.set(kept.subarray(0, untilWrap), at);
    this.#ring.set(kept.subarray(untilWrap), 0);
    this.#end += bytes.length;
    this.#start = Math.max(this.#start, this.#end - capacity);
  }

  /** The bytes from one place to another, both of which are kept. */
  copy(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array(to - from);
    const at = from % this.#ring.length;
    const untilWrap = this.#ring.subarray(at, Math.min(this.#ring.length, at + bytes.length));
    bytes.set(untilWrap);
    bytes.set(this.#ring.subarray(0, bytes.length - untilWrap.length), untilWrap.length);
    return bytes;
  }

  /** The place behind the first such bytes from a place on; undefined where they are not. */
  find(pattern: Uint8Array, from: number): number | undefined {
    for (let at = from; at + pattern.length <= this.#end; at++) {
      if (pattern.every((byte, index) => this.#ring[(at + index) % this.#ring.length] === byte))
        return at + pattern.length;
    }
    return undefined;
  }

  /** Forgets what arrived. Places go on. */
  clear(): void {
    this.#start = this.#end;
  }
}
