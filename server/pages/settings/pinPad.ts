import { h } from './dom.ts';
import { t } from './language.ts';

const MIN = 4;
const MAX = 8;

/** A pad of digits. Keys of a keyboard work too. */
export class PinPad {
  readonly element: HTMLElement;
  readonly #dots = h('div', { class: 'dots', 'data-testid': 'pin-dots' });
  readonly #title: HTMLElement;
  readonly #hint: HTMLElement;
  readonly #message = h('p', { class: 'pin-message', role: 'alert', 'data-testid': 'pin-message' });
  readonly #ok: HTMLButtonElement;
  readonly #onPin: (pin: string) => void;
  #pin = '';
  #isLocked = false;

  /** @param onPin gets each entered PIN */
  constructor(title: string, hint: string, onPin: (pin: string) => void) {
    this.#onPin = onPin;
    this.#title = h('h2', { 'data-testid': 'pin-title' }, title);
    this.#hint = h('p', { class: 'hint' }, hint);
    this.#ok = this.#key(t('ok'), 'ok', () => this.#enter());
    this.#ok.classList.add('primary');
    const digits = [...'123456789'].map((digit) => this.#key(digit, digit, () => this.#add(digit)));
    const erase = this.#key('⌫', 'erase', () => this.#erase());
    erase.setAttribute('aria-label', t('erase'));
    const keys = [...digits, erase, this.#key('0', '0', () => this.#add('0')), this.#ok];
    this.element = h(
      'section',
      { class: 'pin', 'data-testid': 'pin-pad' },
      h('div', { class: 'pin-words' }, this.#title, this.#hint, this.#dots, this.#message),
      h('div', { class: 'keys' }, ...keys),
    );
    this.#draw();
  }

  /** Starts again, with another text. */
  ask(title: string, message = ''): void {
    this.#pin = '';
    this.#title.textContent = title;
    this.#message.textContent = message;
    this.#draw();
  }

  /** Accepts no digits for now, and shows why. */
  lock(isLocked: boolean, message = ''): void {
    this.#isLocked = isLocked;
    this.#message.textContent = message;
    this.#draw();
  }

  readonly onKey = (event: KeyboardEvent): void => {
    if (/^\d$/.test(event.key)) this.#add(event.key);
    else if (event.key === 'Backspace') this.#erase();
    else if (event.key === 'Enter') {
      // The button that has the focus must not be pressed as well.
      event.preventDefault();
      this.#enter();
    }
  };

  #add(digit: string): void {
    if (this.#isLocked || this.#pin.length === MAX) return;
    this.#pin += digit;
    this.#message.textContent = '';
    this.#draw();
  }

  #erase(): void {
    this.#pin = this.#pin.slice(0, -1);
    this.#draw();
  }

  #enter(): void {
    if (this.#isLocked || this.#pin.length < MIN) return;
    const pin = this.#pin;
    this.#pin = '';
    this.#draw();
    this.#onPin(pin);
  }

  #draw(): void {
    const filled = this.#pin.length;
    const dots = Array.from({ length: Math.max(MIN, filled) }, (_, i) =>
      h('span', { class: i < filled ? 'dot filled' : 'dot' }),
    );
    this.#dots.replaceChildren(...dots);
    this.#ok.disabled = this.#isLocked || filled < MIN;
    this.element?.classList.toggle('locked', this.#isLocked);
  }

  #key(label: string, id: string, onclick: () => void): HTMLButtonElement {
    return h('button', { type: 'button', 'data-testid': `pin-${id}`, onclick }, label);
  }
}
