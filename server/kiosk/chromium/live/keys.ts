/** What the protocol needs to press a key. */
export interface KeyPress {
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
