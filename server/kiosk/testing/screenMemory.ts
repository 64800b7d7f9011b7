import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The memory that Xvfb draws into: an XWD file (X11/XWDFile.h: a header of 32 bit words with the highest byte first, the
 * colour table, then the pixels, blue first).
 */
export class ScreenMemory implements Disposable {
  readonly width: number;
  readonly height: number;
  readonly #file: number;
  readonly #start: number;
  readonly #lineBytes: number;

  /** @throws Error when the file is not there */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, header.length, 0);
    const word = (index: number) => header.readUInt32BE(index * 4);
    this.#start = word(0) + word(19) * 12;
    [this.width, this.height, this.#lineBytes] = [word(4), word(5), word(12)];
  }

  /** @returns the pixels of some lines as 0x..RRGGBB, one after the other */
  lines(first: number, count: number): Uint32Array {
    const bytes = new Uint8Array(count * this.#lineBytes);
    readSync(this.#file, bytes, 0, bytes.length, this.#start + first * this.#lineBytes);
    return new Uint32Array(bytes.buffer);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** @returns how often each colour occurs, as #RRGGBB */
export function countColours(pixels: Uint32Array): Map<string, number> {
  const counts = new Map<number, number>();
  let index = 0;
  while (index < pixels.length) {
    // Most of a screen is runs of one colour.
    const colour = pixels[index]!;
    const first = index;
    while (pixels[index] === colour) index++;
    const seen = colour & 0xffffff;
    counts.set(seen, (counts.get(seen) ?? 0) + index - first);
  }
  return new Map(
    [...counts].map(([colour, count]) => [`#${colour.toString(16).padStart(6, '0').toUpperCase()}`, count]),
  );
}
