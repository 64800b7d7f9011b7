import { closeSync, openSync, readSync } from 'node:fs';

/** Time between two looks, in milliseconds: shorter than any frame that a person could see. */
const EVERY_MS = 8;
/** Between two points that are looked at, in pixels. Not even, so that no pattern hides between them. */
const GRID = 37;

/**
 * Looks at the memory that Xvfb draws into: an XWD file (X11/XWDFile.h: a header of 32 bit words with the highest byte
 * first, the colour table, then the pixels, blue first).
 */
export class ScreenWatch implements Disposable {
  readonly #file: number;
  readonly #timer: NodeJS.Timeout;
  /** How often each colour was met on the whole grid, as #RRGGBB. */
  readonly seen = new Map<string, number>();
  looks = 0;
  #isOver = false;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    const header = Buffer.alloc(100);
    readSync(this.#file, header, 0, header.length, 0);
    const word = (index: number) => header.readUInt32BE(index * 4);
    const [start, width, height, lineBytes] = [word(0) + word(19) * 12, word(4), word(5), word(12)];
    const line = Buffer.alloc(lineBytes);
    this.#timer = setInterval(() => {
      this.looks++;
      for (let y = 3; y < height; y += GRID) {
        readSync(this.#file, line, 0, lineBytes, start + y * lineBytes);
        for (let x = 3; x < width; x += GRID) this.#note(line.readUInt32LE(x * 4) & 0xffffff);
      }
    }, EVERY_MS);
  }

  /** @returns all colours that were met, in order of their names. */
  stop(): string[] {
    this[Symbol.dispose]();
    return [...this.seen.keys()].sort();
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    closeSync(this.#file);
  }

  #note(colour: number): void {
    const name = `#${colour.toString(16).padStart(6, '0').toUpperCase()}`;
    this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
  }
}
