import { isIPv6 } from 'node:net';
import { clean, type Params, parseParams } from './syntax.ts';

/** A SIP or SIPS URI (RFC 3261 section 19.1). */
export interface SipUri {
  readonly scheme: 'sip' | 'sips';
  /** Still escaped, as received; without a password. Empty if there is none. */
  readonly user: string;
  /** Without the brackets of an IPv6 address, in lower case. */
  readonly host: string;
  readonly port: number | undefined;
  readonly params: Params;
  /** The text after the question mark, raw: only refused or dropped, never used. */
  readonly headers: string;
}

/** Any URI: SIP ones are parsed, others (tel, http) stay text. */
export type Uri = SipUri | { readonly scheme: 'other'; readonly text: string };

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(.+)$/s;
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/#]|%[0-9A-Fa-f]{2})+$/;
const PASSWORD = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,:;?/#]|%[0-9A-Fa-f]{2})*$/;
const HOST_PORT = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
/** Characters of an opaque URI: printable, no spaces, no brackets. */
const OTHER = /^[\x21-\x3b\x3d\x3f-\x7e\u0080-\uffff]+$/;

/** @returns undefined if it is not a URI. */
export function parseUri(text: string): Uri | undefined {
  const match = SCHEME.exec(text);
  if (match === null) return undefined;
  const scheme = match[1]!.toLowerCase();
  if (scheme !== 'sip' && scheme !== 'sips') return OTHER.test(text) ? { scheme: 'other', text } : undefined;
  const rest = match[2]!;
  const at = rest.indexOf('@');
  // An at sign may occur nowhere else, not even in parameters.
  if (at >= 0 && rest.includes('@', at + 1)) return undefined;
  const user = at < 0 ? '' : parseUserInfo(rest.slice(0, at));
  if (user === undefined || (at >= 0 && user === '')) return undefined;
  const [beforeHeaders, ...headers] = rest.slice(at + 1).split('?');
  const semicolon = beforeHeaders!.indexOf(';');
  const place = parseHostPort(semicolon < 0 ? beforeHeaders! : beforeHeaders!.slice(0, semicolon));
  const paramText = semicolon < 0 ? '' : beforeHeaders!.slice(semicolon + 1);
  if (/[\s"<>]/.test(paramText) || /[\s"<>]/.test(headers.join('?'))) return undefined;
  const params = parseParams(paramText);
  if (place === undefined || params === undefined) return undefined;
  return { scheme, user, ...place, params, headers: headers.join('?') };
}

function parseUserInfo(text: string): string | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return USER.test(text) ? text : undefined;
  const user = text.slice(0, colon);
  return USER.test(user) && PASSWORD.test(text.slice(colon + 1)) ? user : undefined;
}

/** Reads `host`, `host:port`, `[IPv6]:port`. @returns undefined if it is none of these. */
export function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  const match = HOST_PORT.exec(text);
  if (match === null) return undefined;
  const port = match[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined;
  if (!match[1]!.startsWith('[')) return { host: match[1]!.toLowerCase(), port };
  const host = match[1]!.slice(1, -1).toLowerCase();
  return isIPv6(host) ? { host, port } : undefined;
}

/** @returns `host:port`, with brackets around an IPv6 address. */
export function formatHostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

export function formatUri(uri: Uri): string {
  if (uri.scheme === 'other') return clean(uri.text);
  const user = uri.user === '' ? '' : `${uri.user}@`;
  let params = '';
  for (const [name, value] of uri.params) params += value === '' ? `;${name}` : `;${name}=${value}`;
  return clean(`${uri.scheme}:${user}${formatHostPort(uri.host, uri.port)}${params}`);
}

/** Makes a URI; characters not allowed in the user part are escaped. */
export function sipUri(
  user: string,
  host: string,
  port?: number,
  params: Readonly<Record<string, string>> = {},
): SipUri {
  return {
    scheme: 'sip',
    user: escapeUser(user),
    host: host.toLowerCase(),
    port,
    params: new Map(Object.entries(params)),
    headers: '',
  };
}

function escapeUser(user: string): string {
  // encodeURIComponent throws on half a surrogate pair.
  return encodeURIComponent(user.toWellFormed());
}

/** The user part as people write it. */
export function userOf(uri: Uri): string {
  if (uri.scheme === 'other') return clean(uri.text.replace(/^tel:/i, '').split(';')[0]!);
  try {
    return clean(decodeURIComponent(uri.user));
  } catch {
    // Escaped bytes that are not UTF-8.
    return clean(uri.user);
  }
}
