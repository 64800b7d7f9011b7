/** Makes samples quieter. Chunks may end in the middle of a sample. */
export class Gain {
  readonly #factor: number;
  /** The first half of a sample whose second half comes with the next chunk. */
  #half: number | undefined;

  /** @param percent of the amplitude, 0 to 100 */
  constructor(percent: number) {
    this.#factor = percent / 100;
  }

  apply(samples: Uint8Array): Uint8Array {
    if (this.#factor === 1) return samples;
    const held = this.#half === undefined ? [] : [this.#half];
    const bytes = Buffer.concat([Buffer.from(held), samples]);
    const whole = bytes.length - (bytes.length % 2);
    this.#half = bytes.length > whole ? bytes[whole] : undefined;
    for (let at = 0; at < whole; at += 2)
      bytes.writeInt16LE(Math.round(bytes.readInt16LE(at) * this.#factor), at);
    return bytes.subarray(0, whole);
  }
}
