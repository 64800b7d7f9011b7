/** Keeps the last bytes that arrived, up to a limit; older ones are overwritten. */
export class ReceiveBuffer {
  readonly #ring: Uint8Array;
  #start = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#ring = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(bytes: Uint8Array): void {
    const capacity = this.#ring.length;
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    const end = (this.#start + this.#length) % capacity;
    const untilWrap = capacity - end;
    this.#ring.set(kept.subarray(0, untilWrap), end);
    this.#ring.set(kept.subarray(untilWrap), 0);
    const overwritten = Math.max(0, this.#length + kept.length - capacity);
    this.#start = (this.#start + overwritten) % capacity;
    this.#length = Math.min(capacity, this.#length + kept.length);
  }

  /** All bytes held, oldest first; the buffer is empty afterwards. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    const untilWrap = this.#ring.subarray(this.#start, this.#start + this.#length);
    bytes.set(untilWrap);
    bytes.set(this.#ring.subarray(0, this.#length - untilWrap.length), untilWrap.length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#start = 0;
    this.#length = 0;
  }
}
