/** What the protocol needs to press a key. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly windowsVirtualKeyCode: number;
  /** What the key types. */
  readonly text?: string;
}

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
  const upper = key.toUpperCase();
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(key) ? `Digit${key}` : '';
  return { key, code, windowsVirtualKeyCode: code === '' ? 0 : upper.charCodeAt(0), text: key };
}
