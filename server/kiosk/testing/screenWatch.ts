import { countColours, ScreenMemory } from './screenMemory.ts';

/** Time between two reads of the screen, in milliseconds: shorter than any frame that a person could see. */
const EVERY_MS = 8;
/** Distance between two points that are read, in pixels. Odd, so that no pattern hides between them. */
const GRID = 37;

/** Watches a screen all the time and records which colours were there. */
export class ScreenWatch implements Disposable {
  readonly #memory: ScreenMemory;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Set<string>();
  looks = 0;
  #isOver = false;

  constructor(path: string) {
    this.#memory = new ScreenMemory(path);
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  /** @returns all colours that were seen, sorted by name. */
  stop(): string[] {
    this[Symbol.dispose]();
    return [...this.#seen].sort();
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#memory[Symbol.dispose]();
  }

  #look(): void {
    this.looks++;
    for (let y = 3; y < this.#memory.height; y += GRID) {
      const points = this.#memory.lines(y, 1).filter((_, x) => x % GRID === 3);
      for (const colour of countColours(points).keys()) this.#seen.add(colour);
    }
  }
}
