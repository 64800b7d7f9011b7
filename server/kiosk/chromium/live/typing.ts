import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { FieldWatch } from '../guards/fieldWatch.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';

/** Keys that may wait for the page; a hung page answers none. */
const MAX_WAITING = 32;
/** A command that the page has not answered by then is not waited for any more, in milliseconds. */
const ANSWER_MS = 2_000;
/** How long the window system may take to give the page its focus back, in milliseconds. */
const REFOCUS_MS = 1_000;

interface TypingOptions {
  readonly send: CdpSend;
  readonly fields: FieldWatch;
  /** Keeps so many pixels of the screen free below a page. */
  readonly makeRoom: (sessionId: string, height: number) => Promise<void>;
  /** Whether the page of this session fills the screen; a layer is placed by its owner. */
  readonly fillsScreen: (sessionId: string) => boolean;
  readonly clock: Clock;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/** Presses keys in the page whose field has the focus, and keeps room below it for the keys. */
export class Typing {
  readonly #options: TypingOptions;
  #waiting = 0;
  /** Pixels that the keys take. */
  #height = 0;
  /** Session of the page that has made room. */
  #smaller: string | undefined;

  constructor(options: TypingOptions) {
    this.#options = options;
  }

  /** @see KioskHost.pressKey */
  async press(key: string): Promise<void> {
    // While the page moves the focus, keys go where they went: as those of any keyboard.
    const page = this.#options.fields.place?.page ?? this.#smaller;
    const press = keyPress(key);
    if (page === undefined || press === undefined || this.#waiting > MAX_WAITING) return;
    const { text, ...rest } = press;
    const type = text === undefined ? 'rawKeyDown' : 'keyDown';
    await Promise.all([
      this.#send('Input.dispatchKeyEvent', { type, ...press }, page),
      this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...rest }, page),
    ]);
  }

  /** @see KioskHost.makeRoom */
  async makeRoom(height: number): Promise<void> {
    this.#height = height;
    await this.follow();
  }

  /** The focus may have come to another page: room is made there. */
  async follow(): Promise<void> {
    const { fields, fillsScreen } = this.#options;
    const page = this.#height > 0 ? fields.place?.page : undefined;
    if (page !== undefined && !fillsScreen(page)) return;
    const old = this.#smaller;
    if (old !== undefined && (page === undefined ? this.#height === 0 : page !== old)) {
      this.#smaller = undefined;
      await this.#restore(old);
    }
    if (page === undefined) return;
    this.#smaller = page;
    await Promise.all([
      // The keys may have the focus of the window system; for the page nothing changes.
      this.#send('Emulation.setFocusEmulationEnabled', { enabled: true }, page),
      this.#limited(this.#options.makeRoom(page, this.#height)),
    ]);
    fields.reveal();
  }

  /** A page is gone, and with it the room it made. */
  forget(sessionId?: string): void {
    if (sessionId === undefined || sessionId === this.#smaller) this.#smaller = undefined;
  }

  async #restore(page: string): Promise<void> {
    const { clock, makeRoom } = this.#options;
    // The window gets the keys back a moment after the keyboard has gone: the page must not notice it.
    clock.after(REFOCUS_MS, () => {
      if (this.#smaller !== page)
        void this.#send('Emulation.setFocusEmulationEnabled', { enabled: false }, page);
    });
    await this.#limited(makeRoom(page, 0));
  }

  /** Never rejects, and never tells what was typed. */
  async #send(...command: Parameters<CdpSend>): Promise<void> {
    await this.#limited(this.#options.send(...command));
  }

  async #limited(answer: Promise<unknown>): Promise<void> {
    const { clock, onLate } = this.#options;
    this.#waiting++;
    await withTimeout(clock, ANSWER_MS, answer).catch(onLate);
    this.#waiting--;
  }
}

/** What the protocol needs to press a key. */
interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly windowsVirtualKeyCode: number;
  /** What the key types. */
  readonly text?: string;
  /** 8 for keys that are pressed with Shift. */
  readonly modifiers?: 8;
}

/** Signs on an English keyboard, as [code, Windows' number, sign, sign with Shift]: programs look for some of them. */
const SIGNS: readonly (readonly [code: string, number: number, plain: string, shifted: string])[] = [
  ['Backquote', 192, '`', '~'],
  ['Minus', 189, '-', '_'],
  ['Equal', 187, '=', '+'],
  ['BracketLeft', 219, '[', '{'],
  ['BracketRight', 221, ']', '}'],
  ['Backslash', 220, '\\', '|'],
  ['Semicolon', 186, ';', ':'],
  ['Quote', 222, "'", '"'],
  ['Comma', 188, ',', '<'],
  ['Period', 190, '.', '>'],
  ['Slash', 191, '/', '?'],
  ...[...')!@#$%^&*('].map((sign, digit) => [`Digit${digit}`, 48 + digit, String(digit), sign] as const),
];

/** Keys that type nothing: their code and Windows' number (UI Events KeyboardEvent key values, section 3). */
const NAMED: Readonly<Record<string, readonly [code: string, number: number, text?: string]>> = {
  Enter: ['Enter', 13, '\r'],
  Tab: ['Tab', 9],
  Backspace: ['Backspace', 8],
  Delete: ['Delete', 46],
  Insert: ['Insert', 45],
  Escape: ['Escape', 27],
  Home: ['Home', 36],
  End: ['End', 35],
  PageUp: ['PageUp', 33],
  PageDown: ['PageDown', 34],
  ArrowLeft: ['ArrowLeft', 37],
  ArrowUp: ['ArrowUp', 38],
  ArrowRight: ['ArrowRight', 39],
  ArrowDown: ['ArrowDown', 40],
  Shift: ['ShiftLeft', 16],
  Control: ['ControlLeft', 17],
  Alt: ['AltLeft', 18],
  ' ': ['Space', 32, ' '],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`F${i + 1}`, [`F${i + 1}`, 112 + i]])),
};

/** The key of a DOM `key` value; undefined for one that no key has. */
export function keyPress(key: string): KeyPress | undefined {
  const named = Object.hasOwn(NAMED, key) ? NAMED[key] : undefined;
  if (named !== undefined) {
    const [code, windowsVirtualKeyCode, text] = named;
    return { key, code, windowsVirtualKeyCode, ...(text !== undefined && { text }) };
  }
  // One character, also one of two UTF-16 units.
  if ([...key].length !== 1 || /\p{Cc}/u.test(key)) return undefined;
  if (/^[a-zA-Z]$/.test(key)) {
    const upper = key.toUpperCase();
    return pressed(key, `Key${upper}`, upper.charCodeAt(0), key === upper);
  }
  const sign = SIGNS.find(([, , plain, shifted]) => key === plain || key === shifted);
  return sign === undefined ? pressed(key, '', 0, false) : pressed(key, sign[0], sign[1], key === sign[3]);
}

function pressed(key: string, code: string, windowsVirtualKeyCode: number, isShifted: boolean): KeyPress {
  return { key, code, windowsVirtualKeyCode, text: key, ...(isShifted && { modifiers: 8 }) };
}
