import { malformed } from './failure.ts';

/** Headers by lower-case name; a repeated header keeps all its values (WWW-Authenticate). */
type RtspHeaders = ReadonlyMap<string, readonly string[]>;

export interface RtspResponse {
  readonly status: number;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
}

/** A request from the camera to us (RFC 2326 section 10 allows OPTIONS, GET_PARAMETER, ANNOUNCE, REDIRECT ...). */
export interface RtspRequest {
  readonly method: string;
  readonly headers: RtspHeaders;
}

/**
 * The receiver of the framer's results. The payload of `onInterleaved` is a view that is valid until the next chunk.
 */
interface FramerSink {
  onResponse(response: RtspResponse): void;
  onRequest(request: RtspRequest): void;
  onInterleaved(channel: number, payload: Buffer): void;
}

/** Bytes of one header block. */
const HEADER_LIMIT = 16 * 1024;
/** Bytes of one body; session descriptions of cameras have 1 to 3 kB. */
const BODY_LIMIT = 64 * 1024;
/** Every start line begins with this many printable characters; a reason phrase may contain anything. */
const START_LETTERS = 4;
const DOLLAR = 0x24;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** `$`, channel, two bytes of length (RFC 2326 section 10.12). */
const FRAME_HEADER = 4;

/** First value of a header. */
export function header(headers: RtspHeaders, name: string): string | undefined {
  return headers.get(name)?.[0];
}

/** A complete head, and the body that it announced. */
interface Head {
  readonly start: StartLine;
  readonly headers: RtspHeaders;
}

/**
 * Splits a TCP stream into RTSP messages and interleaved frames, for any chunk boundaries. Each byte is read once: the
 * parts of an unfinished message are kept as parsed. Memory is limited to one header, one body and one frame.
 */
export class RtspFramer {
  readonly #sink: FramerSink;
  /** Finished lines of a head (none between messages), and the start of the next line. */
  #lines: string[] = [];
  #line = '';
  /** Bytes of the finished lines. */
  #headSize = 0;
  /** The head whose body is being gathered. */
  #head: Head | undefined;
  #gathered: Gathered | undefined;
  /** The frame that is being gathered: its channel, once its header is complete. */
  #channel: number | undefined;

  constructor(sink: FramerSink) {
    this.#sink = sink;
  }

  /** Takes the next chunk. @throws FaceplateError CAMERA_PROTOCOL at the first byte that cannot be RTSP. */
  push(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length) offset = this.#take(chunk, offset);
  }

  /** Takes some bytes from `offset` on. @returns the offset after them. */
  #take(chunk: Buffer, offset: number): number {
    if (this.#gathered !== undefined) return this.#gather(chunk, offset, this.#gathered);
    if (this.#lines.length > 0 || this.#line !== '') return this.#takeLine(chunk, offset);
    const first = chunk[offset]!;
    // Some cameras put an empty line between messages.
    if (first === CARRIAGE_RETURN || first === LINE_FEED) return offset + 1;
    return first === DOLLAR ? this.#takeFrame(chunk, offset) : this.#takeLine(chunk, offset);
  }

  /** A complete frame is passed on without a copy. */
  #takeFrame(chunk: Buffer, offset: number): number {
    const start = offset + FRAME_HEADER;
    if (start <= chunk.length) {
      const end = start + chunk.readUInt16BE(offset + 2);
      if (end <= chunk.length) {
        this.#sink.onInterleaved(chunk[offset + 1]!, chunk.subarray(start, end));
        return end;
      }
    }
    this.#gathered = new Gathered(FRAME_HEADER);
    return offset;
  }

  /** Takes a line of a head, or the available part of it. */
  #takeLine(chunk: Buffer, offset: number): number {
    const feed = chunk.indexOf(LINE_FEED, offset);
    const end = feed < 0 ? chunk.length : feed;
    // Checked before storing: an endless line must not grow.
    const size = this.#headSize + this.#line.length + end - offset;
    if (size > HEADER_LIMIT) throw malformed('its header is too long');
    const isBegun = this.#lines.length > 0 || this.#line.length >= START_LETTERS;
    this.#line += chunk.toString('latin1', offset, end);
    if (feed < 0) {
      if (!isBegun) checkPrintable(this.#line.slice(0, START_LETTERS));
      return end;
    }
    this.#headSize = size + 1;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    if (line === '') this.#onHead();
    else {
      if (this.#lines.length === 0) parseStartLine(line);
      this.#lines.push(line);
    }
    return feed + 1;
  }

  #onHead(): void {
    const head = { start: parseStartLine(this.#lines[0]!), headers: parseHeaders(this.#lines.slice(1)) };
    this.#lines = [];
    this.#headSize = 0;
    const lengthText = header(head.headers, 'content-length') ?? '0';
    const length = Number(lengthText);
    if (!/^\d+$/.test(lengthText) || length > BODY_LIMIT) throw malformed('its body is too long');
    if (length === 0) {
      this.#deliver(head, Buffer.alloc(0));
      return;
    }
    this.#head = head;
    this.#gathered = new Gathered(length);
  }

  /** Adds to the frame or body that is being gathered, and passes it on once it is complete. */
  #gather(chunk: Buffer, offset: number, gathered: Gathered): number {
    const next = gathered.take(chunk, offset);
    if (!gathered.isWhole) return next;
    const { bytes } = gathered;
    this.#gathered = undefined;
    if (this.#head !== undefined) {
      const head = this.#head;
      this.#head = undefined;
      this.#deliver(head, bytes);
    } else if (this.#channel !== undefined) {
      const channel = this.#channel;
      this.#channel = undefined;
      this.#sink.onInterleaved(channel, bytes);
    } else {
      const length = bytes.readUInt16BE(2);
      if (length === 0) this.#sink.onInterleaved(bytes[1]!, bytes.subarray(FRAME_HEADER));
      else {
        this.#channel = bytes[1]!;
        this.#gathered = new Gathered(length);
      }
    }
    return next;
  }

  #deliver({ start, headers }: Head, body: Buffer): void {
    if (start.kind === 'response') this.#sink.onResponse({ status: start.status, headers, body });
    else this.#sink.onRequest({ method: start.method, headers });
  }
}

/** Gathers a known number of bytes from chunks; each is copied once. */
class Gathered {
  readonly bytes: Buffer;
  #length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  get isWhole(): boolean {
    return this.#length === this.bytes.length;
  }

  /** Takes what it still needs from `offset` on. @returns the offset after it. */
  take(chunk: Buffer, offset: number): number {
    const taken = chunk.copy(this.bytes, this.#length, offset);
    this.#length += taken;
    return offset + taken;
  }
}

/** Binary garbage is reported at once, not after the time limit of a line. */
function checkPrintable(start: string): void {
  if (/[^\r\x20-\x7e]/.test(start)) throw malformed('it sends binary data that is not RTSP');
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
