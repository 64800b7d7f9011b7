import { withoutLogins } from '../platform/cameraAddress.ts';

const ELLIPSIS = '…';

/**
 * A text of the page with the logins of addresses masked, and at most so many bytes of UTF-8. Logins go before the text
 * is cut: otherwise half of one would stay.
 */
export function maskedText(text: string, bytes: number): string {
  const masked = withoutLogins(text.slice(0, 4 * bytes)).toWellFormed();
  const whole = Buffer.from(masked, 'utf8');
  if (whole.length <= bytes) return masked;
  let end = bytes - Buffer.byteLength(ELLIPSIS);
  // The bytes 10xxxxxx continue a character: it must not be cut in two.
  while ((whole[end]! & 0xc0) === 0x80) end--;
  return `${whole.toString('utf8', 0, end)}${ELLIPSIS}`;
}
