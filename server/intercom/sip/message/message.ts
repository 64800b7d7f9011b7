import type { CSeq, NameAddr, Via } from './fields.ts';
import { Headers } from './headers.ts';
import { clean } from './syntax.ts';

export interface SipRequest {
  readonly kind: 'request';
  readonly method: string;
  readonly uri: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface SipResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export type SipMessage = SipRequest | SipResponse;

/** The mandatory fields of every message (RFC 3261 section 8.1.1), parsed once. */
export interface CoreFields {
  /** The topmost one. */
  readonly via: Via;
  readonly from: NameAddr;
  readonly to: NameAddr;
  readonly callId: string;
  readonly cseq: CSeq;
}

export type ReceivedRequest = SipRequest & { readonly core: CoreFields };
export type ReceivedResponse = SipResponse & { readonly core: CoreFields };

export const NO_BODY: Buffer = Buffer.alloc(0);

const REASONS: ReadonlyMap<number, string> = new Map([
  [100, 'Trying'],
  [180, 'Ringing'],
  [183, 'Session Progress'],
  [200, 'OK'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [408, 'Request Timeout'],
  [415, 'Unsupported Media Type'],
  [416, 'Unsupported URI Scheme'],
  [420, 'Bad Extension'],
  [422, 'Session Interval Too Small'],
  [423, 'Interval Too Brief'],
  [480, 'Temporarily Unavailable'],
  [481, 'Call/Transaction Does Not Exist'],
  [482, 'Loop Detected'],
  [486, 'Busy Here'],
  [487, 'Request Terminated'],
  [488, 'Not Acceptable Here'],
  [491, 'Request Pending'],
  [500, 'Server Internal Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
  [504, 'Server Time-out'],
  [505, 'Version Not Supported'],
  [603, 'Decline'],
]);

/** The reason phrase of a status that we send. */
function reasonOf(status: number): string {
  return REASONS.get(status) ?? 'Failure';
}

/** A message as sent on the wire (RFC 3261 section 7), including Content-Length. */
export function serialise(message: SipMessage): Buffer {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason}`;
  const headers = message.headers.copy();
  headers.delete('content-length');
  headers.add('content-length', String(message.body.length));
  return Buffer.concat([Buffer.from(`${clean(start)}\r\n${headers}\r\n`), message.body]);
}

/**
 * A response to a request (RFC 3261 section 8.2.6): Via, From, To, Call-ID and CSeq are copied from the request.
 * @param toTag added to To if the request has none there
 */
export function responseTo(request: SipRequest, status: number, toTag?: string): SipResponse {
  const headers = new Headers();
  for (const name of ['via', 'from', 'to', 'call-id', 'cseq']) {
    for (const value of request.headers.all(name)) {
      const needsTag = name === 'to' && toTag !== undefined && status > 100 && !/;\s*tag\s*=/i.test(value);
      headers.add(name, needsTag ? `${value};tag=${toTag}` : value);
    }
  }
  // Dialogs need the route of the request (section 12.1.1).
  for (const value of request.headers.all('record-route')) headers.add('record-route', value);
  return { kind: 'response', status, reason: reasonOf(status), headers, body: NO_BODY };
}

/** The same message with another body of this type. */
export function withBody<T extends SipMessage>(message: T, contentType: string, body: string): T {
  message.headers.set('content-type', contentType);
  return { ...message, body: Buffer.from(body) };
}

/** One body of a message, or one part of a multipart body. */
interface Part {
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Most parts of one body that are read, and how deep they may be inside each other. */
const MAX_PARTS = 16;
const MAX_DEPTH = 3;

/** @returns the session description of a message, also one in a multipart body; undefined if it has none. */
export function sdpOf(message: Part): string | undefined {
  return partsOf(message)
    .find((part) => isSdp(part))
    ?.body.toString('utf8');
}

/**
 * Whether a message has a body that we do not understand and must not ignore: something else than a description, or
 * beside a description something whose sender requires that it be read (RFC 3261 section 20.11).
 */
export function needsMoreThanSdp(message: Part): boolean {
  const parts = partsOf(message);
  const hasSdp = parts.some((part) => isSdp(part));
  return parts.some((part) => {
    const handling = /;\s*handling\s*=\s*"?(\w+)/i
      .exec(part.headers.get('content-disposition') ?? '')?.[1]
      ?.toLowerCase();
    return !isSdp(part) && (hasSdp ? handling === 'required' : handling !== 'optional');
  });
}

/** The media type of the body in lower case, without parameters; empty if there is none. */
export function contentTypeOf({ headers }: Part): string {
  return (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
}

function isSdp(part: Part): boolean {
  if (part.headers.tokens('content-encoding').some((encoding) => encoding !== 'identity')) return false;
  const type = contentTypeOf(part);
  return type === 'application/sdp' || (type === '' && part.body.subarray(0, 3).toString() === 'v=0');
}

/** The bodies of a message: one, or the parts of a multipart body (RFC 2046 section 5.1); none if it is empty. */
function partsOf(message: Part, depth = 0): Part[] {
  if (message.body.length === 0) return [];
  const type = message.headers.get('content-type') ?? '';
  if (depth === MAX_DEPTH || !contentTypeOf(message).startsWith('multipart/')) return [message];
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type);
  // In latin1 each byte is one character.
  const text = `\n${message.body.toString('latin1')}`;
  const [, ...chunks] =
    boundary === null ? [] : text.split(`\n--${boundary[1] ?? boundary[2]}`, MAX_PARTS + 1);
  if (chunks.length === 0) return [message];
  const closing = chunks.findIndex((chunk) => chunk.startsWith('--'));
  return chunks.slice(0, closing < 0 ? MAX_PARTS : closing).flatMap((chunk) => {
    const [, head = '', body = ''] = /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n([\s\S]*?)\r?$/.exec(chunk) ?? [];
    const fields = head.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = /^([\w-]+)[ \t]*:(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value!.trim()] as const];
    });
    return partsOf({ headers: Headers.of(fields), body: Buffer.from(body, 'latin1') }, depth + 1);
  });
}
