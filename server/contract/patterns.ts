import { z } from 'zod';

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
