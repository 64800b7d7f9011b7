import {
  formatParams,
  type Params,
  parseNumber,
  parseParams,
  quoted,
  splitOutside,
  TOKEN,
  unquoted,
} from './syntax.ts';
import { formatHostPort, formatUri, parseHostPort, parseUri, type Uri } from './uri.ts';

/** `name-addr` or `addr-spec` with parameters: From, To, Contact, Route (RFC 3261 section 20.10). */
export interface NameAddr {
  readonly displayName: string;
  readonly uri: Uri;
  readonly params: Params;
}

/** One Via value (RFC 3261 section 20.42). */
export interface Via {
  /** Upper case: UDP, TCP, TLS, or a name we do not know. */
  readonly transport: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly params: Params;
}

export interface CSeq {
  readonly number: number;
  readonly method: string;
}

const BRACKETED = /^(.*?)<([^<>]*)>\s*(?:;(.*))?$/s;
const DISPLAY_WORDS = /^[A-Za-z0-9\-.!%*_+`'~\u0080-\uffff \t]*$/;
const VIA = /^SIP\s*\/\s*2\.0\s*\/\s*([^\s/;]+)\s+([^\s;]+(?:\s*:\s*\d+)?)\s*(?:;(.*))?$/is;
/** RFC 3261 section 8.1.1.5. */
const MAX_CSEQ = 2 ** 31 - 1;

/** @returns undefined if it is malformed. */
export function parseNameAddr(text: string): NameAddr | undefined {
  const trimmed = text.trim();
  // The quoted name may contain brackets.
  const name = /^"(?:[^"\\]|\\.)*"/s.exec(trimmed)?.[0] ?? '';
  const match = BRACKETED.exec(trimmed.slice(name.length));
  if (match === null) return name === '' ? parseAddrSpec(trimmed) : undefined;
  const words = match[1]!.trim();
  if (name !== '' ? words !== '' : !DISPLAY_WORDS.test(words)) return undefined;
  const uri = /\s/.test(match[2]!) ? undefined : parseUri(match[2]!);
  const params = parseParams(match[3] ?? '');
  if (uri === undefined || params === undefined || (match[3] !== undefined && params.size === 0))
    return undefined;
  return { displayName: name === '' ? words : (unquoted(name) ?? ''), uri, params };
}

/** Without brackets the parameters belong to the header, and a question mark is not allowed (section 20). */
function parseAddrSpec(text: string): NameAddr | undefined {
  const semicolon = text.indexOf(';');
  const address = semicolon < 0 ? text : text.slice(0, semicolon).trim();
  if (/[\s"<>?,]/.test(address)) return undefined;
  const uri = parseUri(address);
  const params = semicolon < 0 ? new Map<string, string>() : parseParams(text.slice(semicolon + 1));
  if (uri === undefined || params === undefined || (semicolon >= 0 && params.size === 0)) return undefined;
  return { displayName: '', uri, params };
}

export function formatNameAddr({ displayName, uri, params }: NameAddr): string {
  const name = displayName === '' ? '' : `${quoted(displayName)} `;
  return `${name}<${formatUri(uri)}>${formatParams(params)}`;
}

/** Reads all values of address fields. @returns undefined if one is malformed. */
export function parseNameAddrs(values: readonly string[]): NameAddr[] | undefined {
  const found: NameAddr[] = [];
  for (const value of values) {
    for (const part of splitOutside(value, ',') ?? ['']) {
      const address = parseNameAddr(part);
      if (address === undefined) return undefined;
      found.push(address);
    }
  }
  return found;
}

/** The readable ones among the values of Contact: some devices add unreadable ones. */
export function readableNameAddrs(values: readonly string[]): NameAddr[] {
  return values.flatMap((value) =>
    (splitOutside(value, ',') ?? value.split(',')).flatMap((part) => parseNameAddr(part) ?? []),
  );
}

/** Reads one Via value. @returns undefined if it is malformed. */
export function parseVia(text: string): Via | undefined {
  const match = VIA.exec(text.trim());
  if (match === null || !TOKEN.test(match[1]!)) return undefined;
  const place = parseHostPort(match[2]!.replaceAll(/\s/g, ''));
  const params = parseParams(match[3] ?? '');
  return place === undefined || params === undefined
    ? undefined
    : { transport: match[1]!.toUpperCase(), ...place, params };
}

export function formatVia({ transport, host, port, params }: Via): string {
  return `SIP/2.0/${transport} ${formatHostPort(host, port)}${formatParams(params)}`;
}

/** @returns undefined if it is malformed, or its number is 2^31 or more. */
export function parseCSeq(text: string): CSeq | undefined {
  const match = /^(\d+)\s+(\S+)$/.exec(text.trim());
  const number = parseNumber(match?.[1] ?? '', MAX_CSEQ);
  if (match === null || number === undefined || !TOKEN.test(match[2]!)) return undefined;
  return { number, method: match[2]! };
}
