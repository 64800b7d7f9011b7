/** The characters that a held key offers, above it. They stay until one is taken, or another key is touched. */
export class Accents {
  readonly #board: HTMLElement;
  readonly #onTaken: (character: string) => void;
  readonly #box = document.createElement('div');

  constructor(board: HTMLElement, onTaken: (character: string) => void) {
    this.#board = board;
    this.#onTaken = onTaken;
    this.#box.className = 'accents';
    this.#box.setAttribute('role', 'group');
    this.#box.setAttribute('aria-label', 'Accents');
  }

  open(key: HTMLElement, characters: readonly string[]): void {
    this.#box.replaceChildren(
      ...characters.map((character) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = character;
        return button;
      }),
    );
    this.#board.append(this.#box);
    const [board, at, box] = [this.#board, key, this.#box].map((element) => element.getBoundingClientRect());
    const left = at!.left + at!.width / 2 - box!.width / 2;
    this.#box.style.left = `${Math.max(0, Math.min(left, board!.width - box!.width))}px`;
    this.#box.style.top = `${Math.max(0, at!.top - board!.top - box!.height)}px`;
  }

  close(): void {
    this.#box.remove();
  }

  /** Marks the character under a finger that slides. */
  pointAt(x: number, y: number): void {
    if (!this.#box.isConnected) return;
    const under = document.elementFromPoint(x, y);
    for (const button of this.#box.children) button.classList.toggle('down', button === under);
  }

  /** The character that an element stands for. */
  keyOf(element: EventTarget | null): string | undefined {
    if (!(element instanceof Element) || !this.#box.contains(element)) return undefined;
    return element.closest('button')?.textContent ?? undefined;
  }

  take(character: string): void {
    this.close();
    this.#onTaken(character);
  }
}
