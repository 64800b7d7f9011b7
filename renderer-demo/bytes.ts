/** Bytes as hex, upper case, a blank between bytes: `01 03 0A`. */
export function bytesToHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(' ');
}

/** Reads hex such as `01 03 0A` or `01030a`. @throws Error that says how hex is written. */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.replace(/\s+/g, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new Error('Write hex as pairs of 0-9 and A-F, such as "01 03 0A".');
  }
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Text as UTF-8 bytes. */
export function textToBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };

/** Replaces what nobody can type into a one-line field: `\r`, `\n`, `\t` and `\\`. Any other backslash stays. */
export function unescapeText(text: string): string {
  return text.replace(/\\([rnt\\])/g, (_, letter: string) => ESCAPES[letter]!);
}

/** Bytes as Latin-1 text for a log line: what cannot be printed becomes a middle dot. */
export function bytesToText(bytes: Uint8Array): string {
  const isPrintable = (byte: number) => (byte >= 0x20 && byte < 0x7f) || byte >= 0xa0;
  return Array.from(bytes, (byte) => (isPrintable(byte) ? String.fromCharCode(byte) : '·')).join('');
}
