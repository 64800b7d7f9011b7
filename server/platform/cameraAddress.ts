/** `user:password@` of an address, also within JSON, whose quotes end it. */
const LOGIN = /(?<=:\/\/)(?:[^\s/@"\\]|\\.)+@/g;
/**
 * A user or a password in a path or query, as many cameras require it: `user=`, `loginuse=`, `pwd=`, `password=`
 * and any field that begins like these. A password may hold a slash: it ends where the next field begins.
 */
const FIELD = /((?:pas|pwd|user|usr|loginuse)[a-z_-]{0,20}(?:=|%3d))(?:[^&;\s"\\]|\\.)+/gi;

/** Any text, also a line of JSON, with the logins of the addresses in it masked. */
export function withoutLogins(text: string): string {
  return text.replace(LOGIN, '***@').replace(FIELD, '$1***');
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
