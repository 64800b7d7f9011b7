import { z } from 'zod';

/** Bytes as hex: upper or lower case, blanks between bytes, even length. At most 65,536 bytes. */
export const hexField = z
  .string()
  .max(3 * 65_536)
  .regex(
    /^ *(?:[0-9a-fA-F]{2} *)*$/,
    'must be hex bytes such as "01 03 0A": pairs of 0-9 A-F with optional blanks between',
  )
  .describe('bytes as hex, upper or lower case, blanks allowed between bytes');

/** As `hexField`, of at least one byte. */
export const someHexField = z
  .string()
  .max(3 * 65_536)
  .regex(/^ *(?:[0-9a-fA-F]{2} *)+$/, 'must be hex bytes such as "01 03 0A", at least one')
  .describe('bytes as hex, upper or lower case, blanks allowed between bytes; at least one');

/** A whole number that may also come as text, as it does in a query. */
export function queryInteger(min: number, max: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );
}

/** A truth value that may also come as text, as it does in a query. */
export const queryBoolean = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

/** A list that also comes as a field of the query that is given once for each item. */
export function queryList<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(most));
}

/** Answer `{"status":"ok"}`. */
export const okResult = z.strictObject({ status: z.literal('ok') });

/** Params of a command that takes none. */
export const noParams = z.strictObject({});

/** Bytes of a text that `hexField` accepted. */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.replaceAll(' ', '');
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Upper-case hex without blanks. */
export function bytesToHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex.toUpperCase();
}

/** For the brackets of a pattern: the control characters (Unicode's category Cc, which not every reader of a schema knows). */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';

const HIGH_PORT = '6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';
/** 0 to 65535, also with zeros before it. */
const PORT = `(?:[0-5]?[0-9]{1,4}|${HIGH_PORT})`;
/** 1 to 65535. */
const TARGET_PORT = `(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|${HIGH_PORT})`;
const IPV4 = bare(z.regexes.ipv4);
const IPV6 = `(?:${bare(z.regexes.ipv6)}|::(?:[fF]{4}:)?${IPV4})`;
/** A host as a URL of no well-known scheme may have it (WHATWG URL, "opaque-host parser"). */
const OPAQUE_HOST = '[^\\u0000-\\u0020/?#@:<>\\[\\]\\\\^|]+';

/** An address of a camera: what the URL parser accepts as one, and nothing else. */
export const CAMERA_URL = new RegExp(
  `^[rR][tT][sS][pP][sS]?://(?:[^/?#]*@)?(?:${OPAQUE_HOST}|\\[${IPV6}\\])(?::${PORT}?)?(?:[/?#][\\s\\S]*)?$`,
);

/** For descriptions: an IP address, with a port or without (`parseAddress`), or a text of `characters`. */
export function addressPattern(characters: string): string {
  return `^(?:${characters}|${bare(z.regexes.ipv6)}|(?:${IPV4}|\\[${bare(z.regexes.ipv6)}\\])(?::${TARGET_PORT})?)$`;
}

/** The text as it is, without `^` and `$`. */
function bare(pattern: RegExp): string {
  return `(?:${pattern.source.replace(/^\^/, '').replace(/\$$/, '')})`;
}

const LABEL = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?';
const AUTHORITY = `(?:${IPV4}|${LABEL}(?:\\.${LABEL})*)`;

/** For descriptions: origins that are certainly accepted. Others are too, such as those with an IPv6 address. */
export const ORIGIN_PATTERN = `^https?://${AUTHORITY}(?::(?:[1-7][0-9]|[1-3][0-9]{2}|[1-9][0-9]{3}|[1-5][0-9]{4}))?$`;
/** For descriptions: web addresses that are certainly accepted, like ORIGIN_PATTERN. */
export const WEB_URL_PATTERN = `^https?://${AUTHORITY}(?::${PORT})?(?:/[!-~]*)?$`;
