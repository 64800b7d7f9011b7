/** Replaces what is secret, what the contract does not know, and what is too long. */
export const REDACTED = '…';
/** How many characters or items remain of what is too long, tried one after the other. */
export const SHORTER = [3_900, 1_900, 900, 400, 100, 30] as const;

/** What `withoutLogins` leaves of a login in an address. */
const MASKED_LOGIN = /\/\/\*\*\*@|(?:=|%3d)\*\*\*/i;

/** What is left of an address that a setting has, where others read it. */
const REDACTED_QUERY = /:\/\/\S*[?#]…/;

/** Whether something in these params of the journal was replaced, masked or cut. */
export function isRedacted(params: unknown): boolean {
  if (typeof params === 'string')
    return params === REDACTED || isCut(params) || MASKED_LOGIN.test(params) || REDACTED_QUERY.test(params);
  if (typeof params !== 'object' || params === null) return false;
  return Object.entries(params).some(([key, value]) => key === REDACTED || isRedacted(value));
}

/** People write "…" too: a text was cut only if one of the known lengths precedes it. */
function isCut(text: string): boolean {
  return text.endsWith(REDACTED) && SHORTER.some((most) => most === text.length - REDACTED.length);
}

/**
 * An address with its query and its fragment hidden: `https://hub.lan/wall?…#…`. It may be any text, also one that is no
 * address; it stays as it is where it has neither.
 */
export function withHiddenQuery(address: string): string {
  const hash = address.indexOf('#');
  const rest = hash === -1 ? address : address.slice(0, hash);
  const search = rest.indexOf('?');
  const isBare = (text: string) => text.length <= 1;
  const query = search === -1 ? '' : rest.slice(search);
  const fragment = hash === -1 ? '' : address.slice(hash);
  const place = search === -1 ? rest : rest.slice(0, search);
  return `${place}${isBare(query) ? query : `?${REDACTED}`}${isBare(fragment) ? fragment : `#${REDACTED}`}`;
}

/** `user:password@` of an address, also within JSON, whose quotes end it. */
const LOGIN = /(?<=:\/\/)(?:[^\s/"\\]|\\.)+@/g;
/** That of a camera's address, as people paste it: with any character, to the last @. */
const CAMERA_LOGIN = /(?<=\b(?:rtsps?|onvif):\/\/)(?:[^\s"\\]|\\.)+@/gi;
/** The same with blanks in the password: it ends before what looks like a host. */
const CAMERA_LOGIN_WITH_BLANKS =
  /(?<=\b(?:rtsps?|onvif):\/\/)(?!\d+\.\d+\.\d+\.\d+:)[^\s/?#@"\\:]+:(?:[^"\\]|\\.){1,200}@(?=\[|\d+\.\d+\.\d+\.\d+|[\w.-]+[:/])/gi;
/**
 * A user or a password in a path or query, as many cameras require it: `user=`, `loginuse=`, `pwd=`, `password=`
 * and any field that begins like these. A password may hold a slash: it ends where the next field begins.
 */
const FIELD = /((?:pas|pwd|user|usr|loginuse)[a-z_-]{0,20}(?:=|%3d))(?:[^&;\s"\\]|\\.)+/gi;

/** Any text, also a line of JSON, with the logins of the addresses in it masked. */
export function withoutLogins(text: string): string {
  return maskedLogins(text).replace(FIELD, '$1***');
}

/** Any text with what stands before the host of an address in it masked. */
export function maskedLogins(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(CAMERA_LOGIN_WITH_BLANKS, '***@').replace(CAMERA_LOGIN, '***@').replace(LOGIN, '***@');
}

/**
 * The visible part of a camera's address: its host, the user before the host, and the last element of its path; never
 * the query. Empty when it is no address.
 */
export function shownCameraAddress(url: string): string {
  if (!URL.canParse(url)) return '';
  const { protocol, username, host, pathname } = new URL(url);
  const path = withoutLogins(pathname);
  const elements = path.split('/').filter((element) => element !== '');
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${host}${elements.length > 1 ? `/…/${elements.at(-1)}` : path}`;
}
