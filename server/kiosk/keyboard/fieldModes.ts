import type { PageSize, TextField } from '../host.ts';
import { type EnterHint, enterHints, type KeyMode } from './contract.ts';

/** By `inputmode`, which wins over the type (HTML standard, section "Input modalities"). */
const BY_INPUT_MODE: Readonly<Record<string, KeyMode>> = {
  text: 'text',
  numeric: 'numeric',
  decimal: 'decimal',
  tel: 'tel',
  email: 'email',
  url: 'url',
  search: 'search',
};
const BY_TYPE: Readonly<Record<string, KeyMode>> = {
  number: 'decimal',
  tel: 'tel',
  email: 'email',
  url: 'url',
  search: 'search',
  password: 'password',
};

/** The keys that a field wants; undefined for one that brings its own (`inputmode=none`). */
export function modeOf({ type, inputMode }: TextField): KeyMode | undefined {
  const wanted = inputMode.toLowerCase();
  if (wanted === 'none') return undefined;
  const mode = Object.hasOwn(BY_INPUT_MODE, wanted) ? BY_INPUT_MODE[wanted] : undefined;
  const own = (Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined) ?? 'text';
  // A password stays one, whatever it is made of, unless it is a number of digits.
  if (type === 'password' && (mode === 'text' || mode === 'search')) return 'password';
  return mode ?? own;
}

/** What its Enter key says. */
export function enterOf({ type, enterKeyHint }: TextField): EnterHint {
  const hint = enterHints.find((known) => known === enterKeyHint.toLowerCase());
  return hint ?? (type === 'search' ? 'search' : 'enter');
}

const ROWS = 5;
/** Of a key, in pixels: one that a finger hits, and no larger than a hand needs. */
const LOWEST = 48;
const HIGHEST = 72;
/** Above and below the keys together. */
const EDGES = 8;

/** Height of the keyboard on a screen, in pixels of the page; the same for all modes, so that nothing jumps. */
export function keysHeight({ height }: PageSize): number {
  const key = Math.min(HIGHEST, Math.max(LOWEST, Math.round(height * 0.072)));
  return Math.min(ROWS * key + EDGES, Math.round(height * 0.6));
}
