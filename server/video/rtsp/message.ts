import { malformed } from './failure.ts';
import {
  type ChannelKind,
  FRAME_HEADER,
  parseHeaders,
  parseStartLine,
  type RtspHeaders,
  type StartLine,
  startAt,
  USUAL_FRAME,
} from './starts.ts';

export interface RtspResponse {
  readonly status: number;
  readonly headers: RtspHeaders;
  readonly body: Buffer;
  /** Whether the length of its body differs from its Content-Length. */
  readonly hasWrongLength: boolean;
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
  /** Called at the first byte of each run of bytes that are no RTSP. */
  onStray?(): void;
  /** Without it, every channel is known. */
  kindOf?(channel: number): ChannelKind;
  /** Whether the next answer has a description, whatever its Content-Length says. */
  awaitsDescription?(): boolean;
  /** Milliseconds, steady. */
  now?(): number;
}

/** Bytes of one header block. */
const HEADER_LIMIT = 16 * 1024;
/** Bytes of one body; session descriptions of cameras have 1 to 3 kB. */
const BODY_LIMIT = 64 * 1024;
/** Stray bytes in a row, and those of ten seconds: reading past them costs time. */
const STRAY_LIMIT = 64 * 1024;
const STRAY_LIMIT_OF_WINDOW = 1024 * 1024;
const STRAY_WINDOW_MS = 10_000;
/** Silence after which a body counts as whole: a body that is too short, and one that may be longer than announced. */
const BODY_SILENCE_MS = 1_000;
const REST_SILENCE_MS = 150;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
/** A line about media, with its end. */
const MEDIA_LINE = /^m=[^\n]*\n/m;
const EMPTY = Buffer.alloc(0);

/** First value of a header. */
export function header(headers: RtspHeaders, name: string): string | undefined {
  return headers.get(name)?.[0];
}

/** A complete head, and the body that it announced. */
interface Head {
  readonly start: StartLine;
  readonly headers: RtspHeaders;
}

/** A description that is longer than its Content-Length. */
interface Rest {
  readonly head: Head;
  readonly body: Buffer;
  text: string;
  /** The line of both that has not ended; empty where the next byte begins one. */
  line: string;
  /** Whether it has a line about media. */
  hasMedia: boolean;
}

/**
 * Splits a TCP stream into RTSP messages and interleaved frames, for any chunk boundaries. It reads each byte once: it does
 * not parse the first parts of an unfinished message again. Memory is limited to one header, one body and one frame. It skips
 * bytes that are neither, up to a limit.
 */
export class RtspFramer {
  readonly #sink: FramerSink;
  /** The end of the last chunk, if it may begin a message or a frame. */
  #held: Buffer = EMPTY;
  /** Finished lines of a head (none between messages), and the start of the next line. */
  #lines: string[] = [];
  #line = '';
  /** Bytes of the finished lines. */
  #headSize = 0;
  /** The head whose body is being gathered. */
  #head: Head | undefined;
  #gathered: Gathered | undefined;
  #rest: Rest | undefined;
  /** The channel of the frame that is being gathered. */
  #channel = 0;
  readonly #search: { isLost: boolean; longest: number; kindOf(channel: number): ChannelKind };
  /** Whether anything of RTSP has come, the first stray bytes before it, and the stray ones of this run and window. */
  #hasBegun = false;
  #firstStray = '';
  #strayRun = 0;
  #strayOfWindow = 0;
  #windowSince = Number.NEGATIVE_INFINITY;

  constructor(sink: FramerSink) {
    this.#sink = sink;
    const kindOf = (channel: number) => (sink.kindOf === undefined ? 'both' : sink.kindOf(channel));
    this.#search = { isLost: false, longest: USUAL_FRAME, kindOf };
  }

  /** Takes the next chunk. @throws FaceplateError CAMERA_PROTOCOL if it cannot be RTSP. */
  push(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = EMPTY;
    let offset = 0;
    while (offset < bytes.length) offset = this.#take(bytes, offset);
  }

  /** Why the last bytes are no RTSP; undefined if they are, and before the first byte. */
  get refusal(): string | undefined {
    if (this.#hasBegun) return this.#strayRun > 0 ? 'it sends bytes that are not RTSP' : undefined;
    if (this.#firstStray === '') return undefined;
    return /[^\r\x20-\x7e]/.test(this.#firstStray)
      ? 'it sends binary data that is not RTSP'
      : 'it does not speak RTSP';
  }

  /** The silence after which `settle` is due, in milliseconds; undefined while no body is being read. */
  get patience(): number | undefined {
    if (this.#rest?.hasMedia) return REST_SILENCE_MS;
    return this.#rest === undefined && this.#head === undefined ? undefined : BODY_SILENCE_MS;
  }

  /** Ends an incomplete body with the bytes so far; where a description is expected, only if they describe something. */
  settle(): void {
    if (this.#rest !== undefined) this.#endRest();
    if (this.#head === undefined) return;
    const body = this.#gathered!.sofar;
    if (this.#isDescription(this.#head) && !MEDIA_LINE.test(body.toString('latin1'))) return;
    const head = this.#head;
    this.#head = undefined;
    this.#gathered = undefined;
    this.#deliver(head, body, true);
  }

  /** Takes some bytes from `offset` on. @returns the offset after them. */
  #take(bytes: Buffer, offset: number): number {
    if (this.#gathered !== undefined) return this.#gather(bytes, offset, this.#gathered);
    if (this.#rest !== undefined) return this.#takeRest(bytes, offset, this.#rest);
    if (this.#lines.length > 0 || this.#line !== '') return this.#takeLine(bytes, offset);
    const first = bytes[offset]!;
    // Some cameras put an empty line between messages.
    if (first === CARRIAGE_RETURN || first === LINE_FEED) return offset + 1;
    const start = startAt(bytes, offset, this.#search);
    if (start === 'frame') return this.#takeFrame(bytes, offset);
    if (start === 'text') return this.#takeLine(bytes, offset);
    if (start === 'more') this.#held = Buffer.from(bytes.subarray(offset));
    else this.#skip(bytes.subarray(offset, offset + 1));
    return start === 'more' ? bytes.length : offset + 1;
  }

  #skip(stray: Buffer | string): void {
    if (this.#strayRun === 0) {
      const now = this.#sink.now?.() ?? performance.now();
      if (now - this.#windowSince >= STRAY_WINDOW_MS) {
        this.#windowSince = now;
        this.#strayOfWindow = 0;
      }
      this.#sink.onStray?.();
    }
    if (!this.#hasBegun && this.#firstStray.length < 4) this.#firstStray += stray.toString('latin1');
    this.#search.isLost = true;
    this.#strayRun += stray.length;
    this.#strayOfWindow += stray.length;
    if (this.#strayRun > STRAY_LIMIT || this.#strayOfWindow > STRAY_LIMIT_OF_WINDOW)
      throw malformed(this.refusal ?? 'it sends too much between its packets that is not RTSP');
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#strayRun = 0;
    this.#search.isLost = false;
  }

  /** A complete frame is passed on without a copy. */
  #takeFrame(bytes: Buffer, offset: number): number {
    this.#begin();
    const start = offset + FRAME_HEADER;
    const length = bytes.readUInt16BE(offset + 2);
    this.#channel = bytes[offset + 1]!;
    this.#search.longest = Math.max(this.#search.longest, length);
    if (start + length > bytes.length) {
      this.#gathered = new Gathered(length);
      return start;
    }
    this.#sink.onInterleaved(this.#channel, bytes.subarray(start, start + length));
    return start + length;
  }

  /** Takes a line of a head, or the available part of it. */
  #takeLine(bytes: Buffer, offset: number): number {
    const feed = bytes.indexOf(LINE_FEED, offset);
    const end = feed < 0 ? bytes.length : feed;
    // Checked before storing: an endless line must not grow.
    const size = this.#headSize + this.#line.length + end - offset;
    if (size > HEADER_LIMIT) throw malformed('its header is too long');
    const part = bytes.toString('latin1', offset, end);
    // A start line has only letters, but for the reason phrase of an answer; a frame begins with $.
    if (this.#lines.length === 0 && !/^rtsp/i.test(this.#line || part)) {
      const stray = part.search(/[^\t\r\x20-\x23\x25-\x7e]/);
      if (stray >= 0) return this.#dropLine(this.#line + part.slice(0, stray), offset + stray);
    }
    this.#line += part;
    if (feed < 0) return end;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    if (this.#lines.length === 0) {
      if (!this.#hasBegun && /^HTTP\//i.test(line))
        throw malformed('this port speaks HTTP; use its RTSP port (554)');
      if (parseStartLine(line) === undefined) return this.#dropLine(line, feed);
      this.#begin();
    }
    this.#headSize = size + 1;
    this.#line = '';
    if (line === '') this.#onHead();
    else this.#lines.push(line);
    return feed + 1;
  }

  #dropLine(line: string, offset: number): number {
    this.#line = '';
    this.#skip(line);
    return offset;
  }

  #onHead(): void {
    const head = { start: parseStartLine(this.#lines[0]!)!, headers: parseHeaders(this.#lines.slice(1)) };
    this.#lines = [];
    this.#headSize = 0;
    const lengthText = header(head.headers, 'content-length') ?? '0';
    const length = Number(lengthText);
    if (!/^\d+$/.test(lengthText) || length > BODY_LIMIT) throw malformed('its body is too long');
    if (length > 0) {
      this.#head = head;
      this.#gathered = new Gathered(length);
    } else if (this.#isDescription(head)) this.#beginRest(head, EMPTY);
    else this.#deliver(head, EMPTY, false);
  }

  /** Adds to the frame or body that is being gathered, and passes it on once it is complete. */
  #gather(bytes: Buffer, offset: number, gathered: Gathered): number {
    const next = gathered.take(bytes, offset);
    if (!gathered.isWhole) return next;
    this.#gathered = undefined;
    if (this.#head === undefined) {
      this.#sink.onInterleaved(this.#channel, gathered.bytes);
      return next;
    }
    const head = this.#head;
    this.#head = undefined;
    // A description that ends within a line may be longer than it says.
    if (this.#isDescription(head) && gathered.bytes.at(-1) !== LINE_FEED)
      this.#beginRest(head, gathered.bytes);
    else this.#deliver(head, gathered.bytes, false);
    return next;
  }

  #beginRest(head: Head, body: Buffer): void {
    const line = body.toString('latin1', body.lastIndexOf(LINE_FEED) + 1);
    this.#rest = { head, body, text: '', line, hasMedia: MEDIA_LINE.test(body.toString('latin1')) };
  }

  /** Takes the lines of a description that follow its announced end; any other line ends it. */
  #takeRest(bytes: Buffer, offset: number, rest: Rest): number {
    let beginsLine = rest.line === '';
    let at = offset;
    let isOver = false;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      const isBlank = byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
      // A line of a description begins with a small letter (RFC 8866 section 5).
      isOver = beginsLine ? !isBlank && (byte < 0x61 || byte > 0x7a) : !isBlank && byte < SPACE;
      // A frame right behind it.
      isOver ||= rest.text === '' && at === offset && byte === 0x24;
      if (isOver) break;
      beginsLine = byte === LINE_FEED || (beginsLine && byte === CARRIAGE_RETURN);
    }
    if (rest.body.length + rest.text.length + at - offset > BODY_LIMIT)
      throw malformed('its body is too long');
    const part = bytes.toString('latin1', offset, at);
    rest.text += part;
    rest.line += part;
    if (part.includes('\n')) {
      rest.hasMedia ||= MEDIA_LINE.test(rest.line);
      rest.line = rest.line.slice(rest.line.lastIndexOf('\n') + 1);
    }
    if (beginsLine) rest.line = '';
    if (isOver) this.#endRest();
    return at;
  }

  #endRest(): void {
    const { head, body, text } = this.#rest!;
    this.#rest = undefined;
    const isLonger = text.trim() !== '';
    this.#deliver(head, isLonger ? Buffer.concat([body, Buffer.from(text, 'latin1')]) : body, isLonger);
  }

  #isDescription({ start }: Head): boolean {
    return start.kind === 'response' && start.status === 200 && (this.#sink.awaitsDescription?.() ?? false);
  }

  #deliver({ start, headers }: Head, body: Buffer, hasWrongLength: boolean): void {
    if (start.kind === 'response')
      this.#sink.onResponse({ status: start.status, headers, body, hasWrongLength });
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

  get sofar(): Buffer {
    return this.bytes.subarray(0, this.#length);
  }

  /** Takes what it still needs from `offset` on. @returns the offset after it. */
  take(bytes: Buffer, offset: number): number {
    const taken = bytes.copy(this.bytes, this.#length, offset);
    this.#length += taken;
    return offset + taken;
  }
}
