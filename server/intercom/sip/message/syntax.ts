/**
 * Parameters by lower-case name; an empty value is a flag such as `lr`. A Map, so that `__proto__` is a name like any
 * other.
 */
export type Params = ReadonlyMap<string, string>;

/** RFC 3261 section 25.1, `token`. */
export const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;
/** What a parameter's value may be without quotes: token, host, IPv6 reference. */
const PLAIN_VALUE = /^[A-Za-z0-9\-.!%*_+`'~[\]:/@&$]+$/;
const MAX_PARAMS = 64;

/** Whether there are control characters other than tab and line feed. */
export function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\x00-\x08\x0b-\x1f\x7f]/.test(text);
}

/** Removes all that could end a header line: no name from a page or a stranger can add a header. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
  return text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f]/g, '');
}

/** @returns the text as `quoted-string`. */
export function quoted(text: string): string {
  return `"${clean(text).replaceAll(/["\\]/g, '\\$&')}"`;
}

/** @returns the content of a `quoted-string`; undefined if it is not one. */
export function unquoted(text: string): string | undefined {
  return QUOTED.exec(text)?.[1]?.replaceAll(/\\(.)/gs, '$1');
}

/**
 * Splits at a separator outside quotes and angle brackets, and trims the parts.
 * @returns undefined if a quote or a bracket is never closed
 */
export function splitOutside(text: string, separator: ',' | ';'): string[] | undefined {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isQuoted) {
      if (char === '\\') at++;
      else if (char === '"') isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === '<') isBracketed = true;
    else if (char === '>') isBracketed = false;
    else if (char === separator && !isBracketed) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  if (isQuoted || isBracketed) return undefined;
  parts.push(text.slice(start).trim());
  return parts;
}

/**
 * Reads `a=b;c;d="e"` (without a leading semicolon).
 * @returns undefined for an empty, unnamed or malformed parameter; if one is repeated, the first counts
 */
export function parseParams(text: string): Params | undefined {
  const params = new Map<string, string>();
  if (text.trim() === '') return params;
  const parts = splitOutside(text, ';');
  if (parts === undefined || parts.length > MAX_PARAMS) return undefined;
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (!TOKEN.test(name)) return undefined;
    const raw = equals < 0 ? '' : part.slice(equals + 1).trim();
    const value = raw.startsWith('"') ? unquoted(raw) : raw;
    if (value === undefined) return undefined;
    if (!params.has(name)) params.set(name, value);
  }
  return params;
}

/** @returns `;a=b;c`, with quotes around values that need them. */
export function formatParams(params: Params): string {
  let text = '';
  for (const [name, value] of params) {
    if (!TOKEN.test(name)) continue;
    text += value === '' ? `;${name}` : `;${name}=${PLAIN_VALUE.test(value) ? value : quoted(value)}`;
  }
  return text;
}

/**
 * Reads a whole number of a header field.
 * @returns undefined if it is not only digits, or greater than `max`
 */
export function parseNumber(text: string, max: number): number | undefined {
  const trimmed = text.trim();
  if (!/^\d{1,20}$/.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return number <= max ? number : undefined;
}
