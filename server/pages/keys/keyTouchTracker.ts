/** How long a key is pressed until it offers its accents, or repeats; then how often it repeats; in milliseconds. */
const HOLD_MS = 400;
const REPEAT_MS = 60;

interface HandOptions {
  /** Holds the keys: buttons with the name of the key in `data-skbtn`. */
  readonly board: HTMLElement;
  readonly accentsOf: (key: string) => readonly string[];
  readonly onKey: (key: string) => void;
  /** The last finger is lifted. */
  readonly onLifted: () => void;
}

interface Finger {
  readonly key: string;
  /** The place of the key; its meaning may change below a finger. */
  readonly place: string;
  /** Whether the key was pressed already, and lifting the finger presses none. */
  isDone: boolean;
  timer: ReturnType<typeof setTimeout>;
}

/** Keys that work as soon as they are touched: the others can be left again, or pressed for long. */
const AT_ONCE = ['{Backspace}', '{Shift}'];

/**
 * The fingers on the keys. A key is pressed when its finger is lifted, or when the next finger comes down, so that two
 * quick hands write in their order.
 */
export class KeyTouchTracker {
  readonly #options: HandOptions;
  readonly #fingers = new Map<number, Finger>();
  readonly #popup: LongPressPopup;

  constructor(options: HandOptions) {
    this.#options = options;
    const { board } = options;
    this.#popup = new LongPressPopup(board, (character) => options.onKey(character));
    // In the capture phase: the library's own way to press keys keeps what was written.
    const listen = (type: string, act: (event: PointerEvent) => void) =>
      board.addEventListener(
        type,
        (event) => {
          event.stopPropagation();
          event.preventDefault();
          act(event as PointerEvent);
        },
        { capture: true },
      );
    listen('pointerdown', (event) => this.#down(event));
    listen('pointerup', (event) => this.#up(event));
    listen('pointercancel', ({ pointerId }) => this.#drop(pointerId));
    listen('pointermove', ({ clientX, clientY }) => this.#popup.pointAt(clientX, clientY));
    listen('click', (event) => this.#click(event));
    for (const type of ['mousedown', 'mouseup', 'touchstart', 'touchend', 'contextmenu'])
      listen(type, () => {});
  }

  /** Whether a finger is on the keys: they must not move now. */
  get isDown(): boolean {
    return this.#fingers.size > 0;
  }

  /** The keys were drawn anew. */
  redrawn(): void {
    for (const { place } of this.#fingers.values()) this.#buttonAt(place)?.classList.add('down');
  }

  #down({ pointerId, target, button: mouseButton }: PointerEvent): void {
    if (mouseButton !== 0) return;
    const accent = this.#popup.keyOf(target);
    if (accent !== undefined) {
      this.#popup.take(accent);
      return;
    }
    this.#popup.close();
    for (const finger of this.#fingers.values()) this.#finish(finger);
    const button = (target as Element).closest<HTMLElement>('button[data-skbtn]');
    const key = button?.dataset.skbtn;
    if (button === null || key === undefined) return;
    const finger: Finger = {
      key,
      place: button.dataset.skbtnuid ?? '',
      isDone: false,
      timer: setTimeout(() => this.#hold(finger), HOLD_MS),
    };
    this.#fingers.set(pointerId, finger);
    button.classList.add('down');
    if (AT_ONCE.includes(key)) this.#finish(finger);
  }

  #up({ pointerId, clientX, clientY }: PointerEvent): void {
    const finger = this.#fingers.get(pointerId);
    if (finger === undefined) return;
    const at = document.elementFromPoint(clientX, clientY);
    const accent = this.#popup.keyOf(at);
    if (accent !== undefined) this.#popup.take(accent);
    else if (at !== null && this.#buttonAt(finger.place)?.contains(at)) this.#finish(finger);
    this.#drop(pointerId);
  }

  /** Of a key that no finger touched, such as by a screen reader. */
  #click({ pointerId, target }: PointerEvent): void {
    if (pointerId >= 0) return;
    const accent = this.#popup.keyOf(target);
    const key = (target as Element).closest<HTMLElement>('button[data-skbtn]')?.dataset.skbtn;
    if (accent !== undefined) this.#popup.take(accent);
    else if (key !== undefined) this.#options.onKey(key);
  }

  #hold(finger: Finger): void {
    if (finger.key === '{Backspace}') {
      this.#options.onKey(finger.key);
      finger.timer = setTimeout(() => this.#hold(finger), REPEAT_MS);
      return;
    }
    const accents = finger.isDone ? [] : this.#options.accentsOf(finger.key);
    const button = this.#buttonAt(finger.place);
    if (accents.length === 0 || button === null) return;
    finger.isDone = true;
    this.#popup.open(button, accents);
  }

  #finish(finger: Finger): void {
    if (finger.isDone) return;
    finger.isDone = true;
    this.#options.onKey(finger.key);
  }

  #drop(id: number): void {
    const finger = this.#fingers.get(id);
    if (finger === undefined) return;
    clearTimeout(finger.timer);
    this.#buttonAt(finger.place)?.classList.remove('down');
    this.#fingers.delete(id);
    if (!this.isDown) this.#options.onLifted();
  }

  #buttonAt(place: string): HTMLElement | null {
    return this.#options.board.querySelector(`[data-skbtnuid="${CSS.escape(place)}"]`);
  }
}

/** The characters that a long press offers, above the key. They stay until one is taken, or another key is touched. */
class LongPressPopup {
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

  /** The character of an element. */
  keyOf(element: EventTarget | null): string | undefined {
    if (!(element instanceof Element) || !this.#box.contains(element)) return undefined;
    return element.closest('button')?.textContent ?? undefined;
  }

  take(character: string): void {
    this.close();
    this.#onTaken(character);
  }
}
