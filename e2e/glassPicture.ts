/** The colour of one pixel: red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** A picture of the glass. */
export class GlassPicture {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Uint8Array;

  /** @param ppm binary PPM (netpbm, P6), as QEMU writes it @throws Error on anything else */
  constructor(ppm: Uint8Array) {
    const found = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(ppm.subarray(0, 64)).toString('latin1'));
    if (found === null) throw new Error('This is no binary PPM.');
    this.width = Number(found[1]);
    this.height = Number(found[2]);
    this.#pixels = ppm.subarray(found[0].length);
  }

  /** @param x, y a place of the glass, from 0 to 1 */
  at(x: number, y: number): Colour {
    return this.pixel(Math.floor(x * this.width), Math.floor(y * this.height));
  }

  pixel(column: number, row: number): Colour {
    const at = 3 * (row * this.width + column);
    return [this.#pixels[at] ?? 0, this.#pixels[at + 1] ?? 0, this.#pixels[at + 2] ?? 0];
  }
}
