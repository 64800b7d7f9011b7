import { z } from 'zod';

/** A byte as people paste it: `0D`, `0x0D` or `\x0D`. */
const HEX_BYTE = '(?:0[xX]|\\\\[xX])?[0-9a-fA-F]{2}';
/** What may stand between bytes. */
const HEX_BETWEEN = '[ \t\r\n,;:-]*';
const HEX_FORMS = 'pairs of 0-9 A-F, also as 0x0D or \\x0D, with blanks, line breaks or , ; : - between them';

/** Bytes as hex: upper or lower case, as people paste them, even length. At most 65,536 bytes. */
export const hexField = z
  .string()
  .max(3 * 65_536)
  .regex(
    new RegExp(`^${HEX_BETWEEN}(?:${HEX_BYTE}${HEX_BETWEEN})*$`),
    `must be hex bytes such as "01 03 0A": ${HEX_FORMS}`,
  )
  .describe(
    'bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \\x before each',
  );

/** As `hexField`, of at least one byte. */
export const someHexField = z
  .string()
  .max(3 * 65_536)
  .regex(
    new RegExp(`^${HEX_BETWEEN}(?:${HEX_BYTE}${HEX_BETWEEN})+$`),
    `must be hex bytes such as "01 03 0A", at least one: ${HEX_FORMS}`,
  )
  .describe(
    'bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \\x before each; at least one',
  );

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
  const digits = hexDigits(hex);
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** The digits of a text that `hexField` accepted. */
export function hexDigits(hex: string): string {
  return hex.replaceAll(/0x|\\x|[^0-9a-f]/gi, '');
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

const CAMERA_HOST = `(?:${OPAQUE_HOST}|\\[${IPV6}\\])(?::${PORT}?)?`;
const CAMERA_SCHEME = '(?:[rR][tT][sS][pP][sS]?|[oO][nN][vV][iI][fF])://';
const CAMERA_REST = '(?:[/?#][\\s\\S]*)?';

/** An address of a camera. Its login may hold any character: `cameraAddress` finds where it ends. */
export const CAMERA_URL = new RegExp(`^${CAMERA_SCHEME}(?:[\\s\\S]*@)?${CAMERA_HOST}${CAMERA_REST}$`);
/** A camera of the setting `streams.cameras`: its name as it is, or percent-encoded. */
const CAMERA_BY_NAME = `[cC][aA][mM][eE][rR][aA]:[^/+#${CONTROLS}]{1,720}`;
/** All that a call may name as a camera: an address, or the name of one. */
export const CAMERA_SOURCE = new RegExp(`^(?:${CAMERA_BY_NAME})$|${CAMERA_URL.source}`);
export const CAMERA_SOURCE_WORDS = 'must be an rtsp://, rtsps:// or onvif:// URL, or camera: and a name';

/** Whether a call may name this as a camera. */
export function isCameraSource(text: string): boolean {
  return CAMERA_SOURCE.test(text) && (/^camera:/i.test(text) || cameraAddress(text) !== undefined);
}
/** Scheme, login, host with port, and the rest: as the URL parser reads it, and with the login as long as it can be. */
const partsWith = (login: string): RegExp =>
  new RegExp(
    `^(?<scheme>${CAMERA_SCHEME})(?:(?<login>${login})@)?(?<host>${CAMERA_HOST})(?<rest>${CAMERA_REST})$`,
  );
const AS_URL = partsWith('[^/?#]*');
const AS_PASTED = partsWith('[\\s\\S]*');
/** Certainly a host and no part of a login: an IP address, or a name with dots. */
const CERTAIN_HOST = new RegExp(`^(?:${IPV4}|\\[.*\\]|localhost|[^:]*\\.[A-Za-z][^.:]+)(?::|$)`, 'i');

/**
 * An address of a camera as the URL parser takes it. People paste logins as they are, with `# ? / @ %` in them: all up to
 * the last `@` before a host is the login then. `rtsp://admin:a/b@10.0.0.5/live` becomes
 * `rtsp://admin:a%2Fb@10.0.0.5/live`.
 * @returns undefined if it is none
 */
export function cameraAddress(text: string): string | undefined {
  const plain = AS_URL.exec(text)?.groups;
  const { scheme, login, host = '', rest } = AS_PASTED.exec(text)?.groups ?? {};
  const isPasted =
    login !== undefined &&
    (plain === undefined ||
      (login !== plain.login &&
        login.includes(':') &&
        !login.includes('://') &&
        !CERTAIN_HOST.test(plain.host ?? '') &&
        (CERTAIN_HOST.test(host) || host.includes(':'))));
  const address = isPasted ? `${scheme}${escapedLogin(login)}@${host}${rest}` : text;
  return plain === undefined && !isPasted ? undefined : canonical(address);
}

function canonical(address: string): string | undefined {
  return URL.canParse(address) && new URL(address).hostname !== '' ? address : undefined;
}

function escapedLogin(login: string): string {
  const colon = login.indexOf(':');
  const parts = colon < 0 ? [login] : [login.slice(0, colon), login.slice(colon + 1)];
  return parts
    .map((part) => encodeURIComponent(unescapedLogin(part).replaceAll(/[\ud800-\udfff]/gu, '\ufffd')))
    .join(':');
}

/** A user or password of an address, with what is escaped in it; a bare `%` stands for itself. */
export function unescapedLogin(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

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
