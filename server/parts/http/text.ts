/** Media types that are no text, whatever their bytes look like. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/(?!.*\+xml\b)|^application\/(?:octet-stream|pdf|zip|gzip|x-tar|wasm)\b/i;
/** Control characters that stand in no text; tab, line feed, form feed, carriage return and escape may. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/;

/**
 * A body as text, in the charset that the device names, else UTF-8.
 * @param contentType the header, empty where there is none
 * @returns undefined for what is no text
 */
export function textOf(bytes: Uint8Array, contentType: string): string | undefined {
  if (bytes.length === 0) return '';
  if (NO_TEXT.test(contentType.trim())) return undefined;
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    // An unknown charset, or bytes that are not in it.
    return undefined;
  }
}
