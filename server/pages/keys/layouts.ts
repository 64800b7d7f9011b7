import type { EnterHint, KeyLayout, KeyMode } from '../../kiosk/keyboard/contract.ts';

/** Rows of keys from above; blanks separate keys. Keys without a character are in braces. */
export type Rows = readonly string[];

/** What the keyboard shows now. */
export interface Face {
  readonly mode: KeyMode;
  readonly layout: KeyLayout;
  readonly hasSymbols: boolean;
  readonly isUpper: boolean;
  /** Whether there are other layouts to change to. */
  readonly hasOthers: boolean;
}

const LETTERS: Readonly<Record<KeyLayout, readonly [string, string, string, string]>> = {
  en: ['1 2 3 4 5 6 7 8 9 0', 'q w e r t y u i o p', 'a s d f g h j k l', 'z x c v b n m'],
  de: ['1 2 3 4 5 6 7 8 9 0 ß', 'q w e r t z u i o p ü', 'a s d f g h j k l ö ä', 'y x c v b n m'],
  es: ['1 2 3 4 5 6 7 8 9 0', 'q w e r t y u i o p', 'a s d f g h j k l ñ', 'z x c v b n m'],
};
const SYMBOLS: Rows = [
  '1 2 3 4 5 6 7 8 9 0',
  '@ # € % & - + ( ) /',
  '* " \' : ; ! ? = _ ~',
  '$ \\ | [ ] { } < > ^ {Backspace}',
];
/** Beside the space bar. */
const BESIDE: Readonly<Record<'email' | 'url' | 'text', readonly [string, string]>> = {
  email: ['@ -', '_ .'],
  url: ['/ :', '- .'],
  text: [',', '.'],
};
const DIGITS: Rows = ['1 2 3 {Backspace}', '4 5 6 {Enter}', '7 8 9 {Hide}'];
const LAST_DIGITS = { numeric: '0', decimal: '- 0 . ,', tel: '* 0 # +' } as const;

/** Whether the mode has digits alone. */
export function hasDigitsAlone(mode: KeyMode): mode is keyof typeof LAST_DIGITS {
  return mode in LAST_DIGITS;
}

/** The keys of a face. */
export function rowsOf({ mode, layout, hasSymbols, isUpper, hasOthers }: Face): Rows {
  if (hasDigitsAlone(mode)) return [...DIGITS, LAST_DIGITS[mode]];
  const [left, right] = BESIDE[mode === 'email' || mode === 'url' ? mode : 'text'];
  const others = hasOthers && !hasSymbols ? ' {Layout}' : '';
  const below = `{Symbols}${others} ${left} {Space} ${right} {Enter} {Hide}`;
  if (hasSymbols) return [...SYMBOLS, below];
  const [digits, high, middle, low] = LETTERS[layout];
  const cased = (row: string) => (isUpper ? [...row].map(upper).join('') : row);
  return [digits, cased(high), cased(middle), `{Shift} ${cased(low)} {Backspace}`, below];
}

function upper(letter: string): string {
  return letter === 'ß' ? letter : letter.toUpperCase();
}

/** What a long press of a key offers: what belongs to its character in any of the languages, and those of its neighbours. */
const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á à ä â ã å æ',
  c: 'ç č ć',
  e: 'é è ë ê ę €',
  i: 'í ì ï î',
  l: 'ł',
  n: 'ñ ń',
  o: 'ó ò ö ô õ ø œ',
  s: 'ß ś š',
  u: 'ú ù ü û',
  y: 'ý ÿ',
  z: 'ž ź ż',
  0: '° º ª',
  1: '¹ ½ ¼',
  2: '²',
  3: '³ ¾',
  '!': '¡',
  '?': '¿',
  '-': '– — ·',
  "'": '‘ ’ ` ´',
  '"': '„ “ ” « »',
  '€': '£ ¥ ¢',
  $: '£ ¥ ¢',
  '/': '÷ \\ |',
  '*': '× •',
  '+': '±',
  '=': '≠ ≈',
  '%': '‰',
  '&': '§',
  '.': '… ? !',
  ',': "; : '",
};

/** Characters that a long press of a key offers, none for most. */
export function accentsOf(key: string): readonly string[] {
  const small = key.toLowerCase();
  if (!Object.hasOwn(ACCENTS, small)) return [];
  const list = ACCENTS[small]!.split(' ');
  return small === key ? list : list.map(upper);
}

/** Drawn, so that they look the same whatever fonts a panel has; on 24 by 24. */
const drawn = (path: string) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const SIGNS = {
  backspace: drawn('M9 5h12v14H9l-6-7zM12 9l6 6M18 9l-6 6'),
  enter: drawn('M20 5v8H5M10 8l-5 5 5 5'),
  shift: drawn('M12 4 4 12.500h4.500V20h7v-7.500H20z'),
  hide: drawn('M5 9l7 7 7-7'),
};

const ENTER: Readonly<Record<EnterHint, Readonly<Record<KeyLayout, string>>>> = {
  enter: { en: SIGNS.enter, de: SIGNS.enter, es: SIGNS.enter },
  done: { en: 'Done', de: 'Fertig', es: 'Listo' },
  go: { en: 'Go', de: 'Los', es: 'Ir' },
  next: { en: 'Next', de: 'Weiter', es: 'Siguiente' },
  previous: { en: 'Back', de: 'Zurück', es: 'Anterior' },
  search: { en: 'Search', de: 'Suchen', es: 'Buscar' },
  send: { en: 'Send', de: 'Senden', es: 'Enviar' },
};
const SPACE: Readonly<Record<KeyLayout, string>> = { en: 'English', de: 'Deutsch', es: 'Español' };

/** The signs on the keys in braces; for eyes, while each is named by its word. */
export function wordsOf({ layout, hasSymbols, hasOthers }: Face, enter: EnterHint): Record<string, string> {
  return {
    '{Backspace}': SIGNS.backspace,
    '{Enter}': ENTER[enter][layout],
    '{Shift}': SIGNS.shift,
    '{Space}': hasOthers && !hasSymbols ? SPACE[layout] : '&nbsp;',
    '{Hide}': SIGNS.hide,
    '{Symbols}': hasSymbols ? 'abc' : '#+=',
    '{Layout}': layout.toUpperCase(),
    // The library reads its labels as markup.
    '<': '&lt;',
    '>': '&gt;',
    '&': '&amp;',
  };
}
