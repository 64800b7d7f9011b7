import { SimpleKeyboard } from 'simple-keyboard/build/index.modern.js';
import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import type { EnterHint, HiddenKeys, KeyLayout, ShownKeys } from '../../kiosk/keyboard/contract.ts';
import { KeyTouchTracker } from './keyTouchTracker.ts';
import { accentsOf, type Face, hasDigitsAlone, rowsOf, wordsOf } from './layouts.ts';

/** A second touch of Shift within this time keeps it, in milliseconds. */
const DOUBLE_MS = 350;
const NAMED = ['Backspace', 'Enter', 'Shift', 'Space', 'Hide', 'Symbols', 'Layout'] as const;

/** Tells the panel what was pressed: a character, `Enter`, `Backspace`, or that the keyboard should close. */
type OnPress = (what: { readonly press: string } | { readonly hide: true }) => void;

/**
 * The keys on the screen. simple-keyboard draws them; the text is in the page alone, and nothing of it is stored
 * here.
 */
class Board {
  readonly #element: HTMLElement;
  readonly #onPress: OnPress;
  readonly #drawn: SimpleKeyboard;
  readonly #touches: KeyTouchTracker;
  #shown: ShownKeys = { mode: 'text', enter: 'enter', layouts: ['en'], height: 300, opens: true };
  #waiting: ShownKeys | undefined;
  #layout: KeyLayout = 'en';
  #face = '';
  #hasSymbols = false;
  #shift: 'off' | 'once' | 'kept' = 'off';
  #shiftedAt = Number.NEGATIVE_INFINITY;

  constructor(element: HTMLElement, onPress: OnPress) {
    this.#element = element;
    this.#onPress = onPress;
    this.#drawn = new SimpleKeyboard(element, {
      ...this.#options(),
      useButtonTag: true,
      disableButtonHold: true,
      theme: 'board',
      onRender: () => this.#onDrawn(),
    });
    // Its own listeners follow keys and cursors of this page, which has no field.
    this.#touches = new KeyTouchTracker({
      board: element,
      accentsOf,
      onKey: (key) => this.#press(key),
      onLifted: () => this.#waiting && this.show(this.#waiting),
    });
  }

  /** Shows the keys for a field, once no finger is on them: a page may change its field at any time. */
  show(shown: ShownKeys): void {
    this.#waiting = this.#touches.isDown && !shown.opens ? shown : undefined;
    if (this.#waiting !== undefined) return;
    const isOther = shown.opens || shown.mode !== this.#shown.mode;
    this.#shown = shown;
    this.#element.dataset.mode = shown.mode;
    this.#element.style.height = `${shown.height}px`;
    if (!shown.layouts.includes(this.#layout) || shown.opens) this.#layout = shown.layouts[0] ?? 'en';
    if (isOther) {
      this.#hasSymbols = false;
      this.#shift = 'off';
    }
    this.#draw();
  }

  #press(key: string): void {
    switch (key) {
      case '{Shift}':
        this.#pressShift();
        break;
      case '{Symbols}':
        this.#hasSymbols = !this.#hasSymbols;
        this.#draw();
        break;
      case '{Layout}': {
        const { layouts } = this.#shown;
        this.#layout = layouts[(layouts.indexOf(this.#layout) + 1) % layouts.length] ?? 'en';
        this.#draw();
        break;
      }
      case '{Hide}':
        this.#onPress({ hide: true });
        break;
      case '{Enter}':
        this.#onPress({ press: 'Enter' });
        break;
      case '{Backspace}':
        this.#onPress({ press: 'Backspace' });
        break;
      default:
        this.#onPress({ press: key === '{Space}' ? ' ' : key });
        if (this.#shift !== 'once') break;
        this.#shift = 'off';
        this.#draw();
    }
  }

  #pressShift(): void {
    const now = performance.now();
    const isDouble = now - this.#shiftedAt < DOUBLE_MS;
    this.#shiftedAt = now;
    this.#shift = this.#shift === 'off' ? 'once' : this.#shift === 'once' && isDouble ? 'kept' : 'off';
    this.#draw();
  }

  #options() {
    const { mode, layouts, enter } = this.#shown;
    const face: Face = {
      mode,
      layout: this.#layout,
      hasSymbols: this.#hasSymbols,
      isUpper: this.#shift !== 'off',
      hasOthers: layouts.length > 1,
    };
    return { layout: { default: [...rowsOf(face)] }, display: wordsOf(face, enter as EnterHint) };
  }

  #draw(): void {
    const options = this.#options();
    const face = JSON.stringify([options, this.#shift]);
    if (face === this.#face) return;
    this.#face = face;
    this.#drawn.setOptions(options);
    this.#touches.redrawn();
  }

  #onDrawn(): void {
    this.#element.dataset.shift = this.#shift;
    this.#element.dataset.digits = String(hasDigitsAlone(this.#shown.mode));
    for (const button of this.#element.querySelectorAll<HTMLButtonElement>('button[data-skbtn]')) {
      button.type = 'button';
      // The page with the field has the keys of a keyboard, not this one.
      button.tabIndex = -1;
    }
    for (const name of NAMED) {
      const button = this.#element.querySelector(`[data-skbtn="{${name}}"]`);
      button?.setAttribute('aria-label', name);
      if (name === 'Shift') button?.setAttribute('aria-pressed', String(this.#shift !== 'off'));
      if (name === 'Symbols') button?.setAttribute('aria-pressed', String(this.#hasSymbols));
    }
  }
}

const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
const board = new Board(document.querySelector('.keys')!, (what) => faceplateHost.post(JSON.stringify(what)));
const main = document.querySelector('main')!;
faceplateHost.listen((json) => {
  const told = JSON.parse(json) as ShownKeys | HiddenKeys;
  // Its window is hidden anyway; a screen reader would read the keys all the same. Not inert: on a busy panel this message
  // may come after the window, and a key that is seen must not be deaf.
  main.ariaHidden = String('closed' in told);
  if (!('closed' in told)) board.show(told);
});
