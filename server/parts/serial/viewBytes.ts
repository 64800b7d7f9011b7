/** What a person may write at the end of each line that is sent. */
export const lineEnds = { none: '', cr: '\r', lf: '\n', crlf: '\r\n' } as const;
export type LineEnd = keyof typeof lineEnds;

/** How bytes are written and read. */
export type Writing = 'text' | 'hex';

/** The bytes of a text in UTF-8, as hex with a blank between bytes. */
export function hexOf(text: string): string {
  return spaced(
    Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  );
}

/** Hex with a blank between bytes, in upper case. */
export function spaced(hex: string): string {
  return (hex.replaceAll(' ', '').match(/../g) ?? []).join(' ').toUpperCase();
}

/** Bytes as text, with a dot for each that is no visible sign. @param latin1 one sign for each byte */
export function visible(latin1: string): string {
  return latin1.replace(/[^\x20-\x7e\xa1-\xac\xae-\xff]/g, '·');
}

/** The hex of what a person wrote. */
export function written(text: string, writing: Writing, end: LineEnd): string {
  return writing === 'hex' ? text.trim() : hexOf(text + lineEnds[end]);
}

/** The bytes as Latin-1 text. @param hex pairs of digits, blanks allowed */
export function latin1Of(hex: string): string {
  const bytes = hex.replaceAll(' ', '').match(/../g) ?? [];
  return String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
}
