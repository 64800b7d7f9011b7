import { malformed } from './failure.ts';

/** Headers by lower-case name; a repeated header keeps all its values (WWW-Authenticate). */
export type RtspHeaders = ReadonlyMap<string, readonly string[]>;

export interface RtspResponse {
  readonly status: number;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
}

/** A request that the camera sends to us (RFC 2326 section 10 allows OPTIONS, GET_PARAMETER, ANNOUNCE, REDIRECT ...). */
export interface RtspRequest {
  readonly method: string;
  readonly headers: RtspHeaders;
}

/** Who takes what the framer finds. The payload of `onInterleaved` is a view that lives until the next chunk. */
export interface FramerSink {
  onResponse(response: RtspResponse): void;
  onRequest(request: RtspRequest): void;
  onInterleaved(channel: number, payload: Buffer): void;
}

/** Bytes of one header block. */
const HEADER_LIMIT = 16 * 1024;
/** Bytes of one body; session descriptions of cameras have 1 to 3 kB. */
const BODY_LIMIT = 64 * 1024;
/** Every start line begins with so many printable characters; a reason phrase may hold anything. */
const START_LETTERS = 4;
const DOLLAR = 0x24;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** `$`, channel, two bytes of length (RFC 2326 section 10.12). */
const INTERLEAVED_HEADER = 4;

/** First value of a header. */
export function header(headers: RtspHeaders, name: string): string | undefined {
  return headers.get(name)?.[0];
}

/**
 * Cuts a TCP stream into RTSP messages and interleaved frames, wherever the chunks are split.
 * Memory is bounded by one header, one body and one frame.
 */
export class RtspFramer {
  readonly #sink: FramerSink;
  #rest: Buffer = Buffer.alloc(0);

  constructor(sink: FramerSink) {
    this.#sink = sink;
  }

  /** Takes the next chunk. @throws FaceplateError CAMERA_PROTOCOL at the first byte that cannot be RTSP. */
  push(chunk: Buffer): void {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let offset = 0;
    while (offset < data.length) {
      const used = this.#take(data, offset);
      if (used === 0) break;
      offset += used;
    }
    this.#rest = offset === data.length ? Buffer.alloc(0) : data.subarray(offset);
  }

  /** Takes one item at `offset`. @returns the bytes it used, 0 when more are needed. */
  #take(data: Buffer, offset: number): number {
    const first = data[offset]!;
    // Some cameras put an empty line between messages.
    if (first === CARRIAGE_RETURN || first === LINE_FEED) return 1;
    if (first === DOLLAR) return this.#takeInterleaved(data, offset);
    return this.#takeMessage(data, offset);
  }

  #takeInterleaved(data: Buffer, offset: number): number {
    if (data.length - offset < INTERLEAVED_HEADER) return 0;
    const end = offset + INTERLEAVED_HEADER + data.readUInt16BE(offset + 2);
    if (data.length < end) return 0;
    this.#sink.onInterleaved(data[offset + 1]!, data.subarray(offset + INTERLEAVED_HEADER, end));
    return end - offset;
  }

  #takeMessage(data: Buffer, offset: number): number {
    const lines = readHeaderLines(data, offset);
    if (lines === undefined) return 0;
    const headers = parseHeaders(lines.text.slice(1));
    const lengthText = header(headers, 'content-length') ?? '0';
    const length = Number(lengthText);
    if (!/^\d+$/.test(lengthText) || length > BODY_LIMIT) throw malformed('its body is too long');
    if (data.length < lines.end + length) return 0;
    // A copy: the body outlives this chunk.
    const body = Buffer.from(data.subarray(lines.end, lines.end + length));
    const start = parseStartLine(lines.text[0]!);
    if (start.kind === 'response') this.#sink.onResponse({ status: start.status, headers, body });
    else this.#sink.onRequest({ method: start.method, headers });
    return lines.end + length - offset;
  }
}

/** Lines up to the empty one; undefined while it has not come. The start line is checked as soon as it is there. */
function readHeaderLines(data: Buffer, offset: number): { text: string[]; end: number } | undefined {
  const text: string[] = [];
  let at = offset;
  for (;;) {
    const feed = data.indexOf(LINE_FEED, at);
    const reached = feed < 0 ? data.length : feed;
    if (reached - offset > HEADER_LIMIT) throw malformed('its header is too long');
    if (feed < 0) {
      if (text.length === 0) checkPrintable(data.subarray(offset, Math.min(reached, offset + START_LETTERS)));
      return undefined;
    }
    const end = feed > at && data[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
    const line = data.toString('latin1', at, end);
    at = feed + 1;
    if (line === '') return { text, end: at };
    if (text.length === 0) parseStartLine(line);
    text.push(line);
  }
}

/** Binary garbage is told at once, not after a time limit that waits for the end of a line. */
function checkPrintable(start: Buffer): void {
  for (const byte of start) {
    if (byte === CARRIAGE_RETURN) continue;
    if (byte < 0x20 || byte > 0x7e) throw malformed('it sends binary data that is not RTSP');
  }
}

type StartLine = { kind: 'response'; status: number } | { kind: 'request'; method: string };

function parseStartLine(line: string): StartLine {
  const response = /^RTSP\/\d\.\d +(\d{3})(?: |$)/.exec(line);
  if (response !== null) return { kind: 'response', status: Number(response[1]) };
  const request = /^([A-Z_]{3,20}) +\S+ +RTSP\/\d\.\d$/.exec(line);
  if (request !== null) return { kind: 'request', method: request[1]! };
  throw malformed(
    line.startsWith('HTTP/') ? 'this port speaks HTTP; use its RTSP port (554)' : 'it does not speak RTSP',
  );
}

function parseHeaders(lines: readonly string[]): RtspHeaders {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    if (known === undefined) headers.set(name, [value]);
    else known.push(value);
  }
  return headers;
}
