import { type NameAddr, parseCSeq, parseNameAddr, parseNameAddrs, parseVia } from './fields.ts';
import { Headers } from './headers.ts';
import type { CoreFields, ReceivedRequest, ReceivedResponse, SipRequest } from './message.ts';
import { hasControls, parseNumber, splitOutside, TOKEN } from './syntax.ts';
import { parseUri } from './uri.ts';

/** A message that cannot be read. `request` is set if a response could be sent back. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly problem: string;
  readonly status: 400 | 413 | 505;
  readonly request: SipRequest | undefined;
}

export type Parsed = ReceivedRequest | ReceivedResponse | Malformed;

/** Limits of one message; a larger message is malformed. */
export const MESSAGE_LIMITS = {
  headBytes: 64 * 1024,
  headers: 200,
  lineChars: 8 * 1024,
  bodyBytes: 64 * 1024,
};

/** Fields of which a message has one value (RFC 3261 section 7.3.1); some devices repeat it. */
const SINGLE = ['from', 'to', 'call-id', 'cseq', 'max-forwards', 'content-length', 'content-type', 'expires'];

class Problem extends Error {
  readonly status: 400 | 413 | 505;

  constructor(problem: string, status: 400 | 413 | 505 = 400) {
    super(problem);
    this.status = status;
  }
}

/**
 * Where the head ends: `head` bytes before the empty line, `next` including it. @returns undefined if it has not ended
 * yet.
 * @param from where to start searching
 */
export function findHeadEnd(data: Buffer, from = 0): { head: number; next: number } | undefined {
  for (let at = data.indexOf(10, from); at >= 0; at = data.indexOf(10, at + 1)) {
    const next = data[at + 1] === 13 ? at + 2 : at + 1;
    if (data[next] === 10) return { head: at + 1, next: next + 1 };
  }
  return undefined;
}

/**
 * Reads one message of a datagram, or one from a stream's framer (RFC 3261 sections 7, 18.3, 20 and 25). Bytes after
 * the body of Content-Length are ignored. Never throws.
 */
export function parseMessage(data: Buffer): Parsed {
  let request: SipRequest | undefined;
  try {
    const end = findHeadEnd(data);
    if (end === undefined) throw new Problem('the head does not end');
    if (end.head > MESSAGE_LIMITS.headBytes) throw new Problem('the head is too long');
    const [startLine, ...lines] = unfold(data.toString('utf8', 0, end.head));
    const headers = readHeaders(lines);
    const body = readBody(headers, data.subarray(end.next));
    const response = /^SIP\/(\d+\.\d+) (\S*) ?(.*)$/i.exec(startLine!);
    if (response !== null) {
      if (response[1] !== '2.0') throw new Problem('the version is not SIP/2.0');
      const status = /^[1-6]\d\d$/.test(response[2]!) ? Number(response[2]) : undefined;
      if (status === undefined) throw new Problem('the status is not 100 to 699');
      return {
        kind: 'response',
        status,
        reason: response[3]!,
        headers,
        body: body ?? truncated(),
        core: readCore(headers),
      };
    }
    const words = startLine!.split(' ');
    const partial = { kind: 'request', method: words[0]!, uri: words[1] ?? '', headers } as const;
    // From here on a response can tell the sender what is wrong.
    if (canAnswer(partial.method, headers)) request = { ...partial, body: Buffer.alloc(0) };
    checkRequestLine(words);
    const core = readCore(headers);
    if (core.cseq.method !== partial.method) throw new Problem('the methods of start line and CSeq differ');
    checkRequestFields(headers);
    return { ...partial, body: body ?? truncated(), core };
  } catch (error) {
    // A stranger's bytes must never end the service.
    const problem = error instanceof Problem ? error : new Problem('the message cannot be read');
    return { kind: 'malformed', problem: problem.message, status: problem.status, request };
  }
}

function truncated(): never {
  throw new Problem('the body is shorter than Content-Length says');
}

/** Lines of the head; folded lines (section 7.3.1) are joined. */
function unfold(head: string): string[] {
  const text = head.replaceAll('\r\n', '\n');
  // Legal only as quoted pairs, which no device sends; dropped from a response they would change its meaning.
  if (hasControls(text)) throw new Problem('control characters in the head');
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (/^[ \t]/.test(line) && lines.length > 1) lines[lines.length - 1] += ` ${line.trim()}`;
    else lines.push(line);
    if (lines.at(-1)!.length > MESSAGE_LIMITS.lineChars) throw new Problem('a line is too long');
    if (lines.length > MESSAGE_LIMITS.headers + 1) throw new Problem('too many header fields');
  }
  if (lines.length === 0) throw new Problem('there is no start line');
  return lines;
}

function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    // Nothing that we read can be in a line without a name.
    if (TOKEN.test(name)) headers.add(name, line.slice(colon + 1).trim());
  }
  for (const name of SINGLE) {
    const [first, ...others] = headers.all(name);
    if (others.some((other) => other !== first)) throw new Problem(`more than one ${name}`);
    if (others.length > 0) headers.set(name, first!);
  }
  return headers;
}

/** @returns undefined if fewer bytes arrived than Content-Length says. */
function readBody(headers: Headers, rest: Buffer): Buffer | undefined {
  const text = headers.get('content-length');
  // Without Content-Length the body ends with the datagram (section 18.3).
  const length = text === undefined ? rest.length : parseNumber(text, Number.MAX_SAFE_INTEGER);
  if (length === undefined) throw new Problem('Content-Length is no number');
  if (length > MESSAGE_LIMITS.bodyBytes) throw new Problem('the body is too long', 413);
  return length > rest.length ? undefined : Buffer.from(rest.subarray(0, length));
}

function canAnswer(method: string, headers: Headers): boolean {
  const has = ['from', 'to', 'call-id', 'cseq'].every((name) => headers.get(name) !== undefined);
  return has && method !== 'ACK' && parseVia(headers.list('via')[0] ?? '') !== undefined;
}

/** Section 7.1: three words, one space between them, no brackets around the URI. */
function checkRequestLine(words: readonly string[]): void {
  const [method = '', uri = '', version = ''] = words;
  if (words.length !== 3 || !TOKEN.test(method)) throw new Problem('the start line is not that of SIP');
  if (!/^SIP\/\d+\.\d+$/i.test(version)) throw new Problem('the start line is not that of SIP');
  if (!/^SIP\/2\.0$/i.test(version)) throw new Problem('the version is not SIP/2.0', 505);
  if (parseUri(uri) === undefined) throw new Problem('the Request-URI is malformed');
}

function readCore(headers: Headers): CoreFields {
  const via = parseVia(headers.list('via')[0] ?? '');
  if (via === undefined) throw new Problem('Via is missing or malformed');
  const callId = headers.get('call-id') ?? '';
  if (callId === '' || /\s/.test(callId)) throw new Problem('Call-ID is missing or malformed');
  const cseq = parseCSeq(headers.get('cseq') ?? '');
  if (cseq === undefined) throw new Problem('CSeq is missing or malformed');
  return { via, from: single(headers, 'from'), to: single(headers, 'to'), callId, cseq };
}

function single(headers: Headers, name: 'from' | 'to'): NameAddr {
  const text = headers.get(name) ?? '';
  const address = parseNameAddr(text);
  if (address === undefined || splitOutside(text, ',')?.length !== 1)
    throw new Problem(`${name} is missing or malformed`);
  return address;
}

/** Of fields that steer a request. What only informs, such as Date, is not looked at. */
function checkRequestFields(headers: Headers): void {
  for (const name of ['route', 'record-route']) {
    if (parseNameAddrs(headers.all(name)) === undefined) throw new Problem(`${name} is malformed`);
  }
  const limits = [
    ['max-forwards', 255],
    ['expires', 2 ** 32 - 1],
    ['min-expires', 2 ** 32 - 1],
  ] as const;
  for (const [name, max] of limits) {
    const text = headers.get(name);
    if (text !== undefined && parseNumber(text, max) === undefined)
      throw new Problem(`${name} is out of range`);
  }
}
