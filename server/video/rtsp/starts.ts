const DOLLAR = 0x24;
const LINE_FEED = 0x0a;
/** `$`, channel, two bytes of length (RFC 2326 section 10.12). */
export const FRAME_HEADER = 4;
/** Longest frame that counts between stray bytes, until a longer one has arrived. */
export const USUAL_FRAME = 16 * 1024;
/** Longest request that counts between stray bytes. */
const LONGEST_REQUEST = 256;
const LONGEST_METHOD = 20;
/** What a camera asks; other words between stray bytes are stray too. */
const METHODS = /^(?:OPTIONS|ANNOUNCE|[GS]ET_PARAMETER|TEARDOWN|REDIRECT) /;
const REQUEST = /^([A-Z_]{3,20}) +\S+ +RTSP\/\d\.\d\s*$/;
/** The shortest start of an answer, with 0 for each digit. */
const RESPONSE = 'RTSP/0.0 000';

/** What a channel of the connection carries: both where a camera gives two tracks the same pair. */
export type ChannelKind = 'rtp' | 'rtcp' | 'both' | undefined;

/** What the search for a start looks for. */
export interface Search {
  /** Bytes before this one were no RTSP: only what is certainly a start counts. */
  readonly isLost: boolean;
  /** The longest frame so far, in bytes. */
  readonly longest: number;
  /** Undefined for a channel that was not set up. */
  kindOf(channel: number): ChannelKind;
}

/** A line that begins a message (RFC 2326 sections 6.1 and 7.1). */
export type StartLine = { kind: 'response'; status: number } | { kind: 'request'; method: string };

/** Headers by lower-case name; a repeated header keeps all its values (WWW-Authenticate). */
export type RtspHeaders = ReadonlyMap<string, readonly string[]>;

/** @returns undefined for a line that begins no message */
export function parseStartLine(line: string): StartLine | undefined {
  const response = /^RTSP\/\d\.\d +(\d{3})(?: |$)/i.exec(line);
  if (response !== null) return { kind: 'response', status: Number(response[1]) };
  const request = REQUEST.exec(line);
  return request === null ? undefined : { kind: 'request', method: request[1]! };
}

/**
 * What begins at an offset of the stream. `more`: there are too few bytes to decide.
 * @returns undefined for a stray byte
 */
export function startAt(
  bytes: Buffer,
  offset: number,
  search: Search,
): 'frame' | 'text' | 'more' | undefined {
  const first = bytes[offset]!;
  if (first === DOLLAR) return frameAt(bytes, offset, search);
  // No letter, so no word.
  if ((first | 0x20) < 0x61 || (first | 0x20) > 0x7a) return undefined;
  return search.isLost ? certainTextAt(bytes, offset) : textAt(bytes, offset);
}

/**
 * RTP and RTCP have version 2. In step, each such frame counts, also of other channels: some cameras send those of a
 * session before. Between stray bytes only those of a known channel do, of a length that such frames have.
 */
function frameAt(
  bytes: Buffer,
  offset: number,
  { isLost, longest, kindOf }: Search,
): 'frame' | 'more' | undefined {
  const left = bytes.length - offset;
  if (left < FRAME_HEADER) return 'more';
  const kind = kindOf(bytes[offset + 1]!);
  const length = bytes.readUInt16BE(offset + 2);
  if (!isLost && length === 0) return 'frame';
  if (isLost && (kind === undefined || length > longest)) return undefined;
  if (left < FRAME_HEADER + Math.min(2, length)) return 'more';
  const at = offset + FRAME_HEADER;
  const isVersion2 = bytes[at]! >> 6 === 2;
  if (!isLost && kind !== undefined) return isVersion2 ? 'frame' : undefined;
  const isReport = bytes[at + 1]! >= 192 && bytes[at + 1]! <= 223;
  const isPacket = isVersion2 && length >= (isReport ? 8 : 12);
  const fits = !isLost || kind === 'both' || kind === (isReport ? 'rtcp' : 'rtp');
  return isPacket && fits ? 'frame' : undefined;
}

/** In step, a word like those of RTSP or HTTP is enough: the whole line is checked once it is complete. */
function textAt(bytes: Buffer, offset: number): 'text' | 'more' | undefined {
  const head = bytes.toString('latin1', offset, offset + LONGEST_METHOD + 1);
  if (/^(?:rtsp|http)\/\d/i.test(head) || /^[A-Z_]{3,20} /.test(head)) return 'text';
  const begins = /^[A-Z_]{1,20}$/.test(head) || /^(?:r|rt|rts|rtsp\/?|h|ht|htt|http\/?)$/i.test(head);
  return begins ? 'more' : undefined;
}

/** Between stray bytes, an answer counts once its status is there, a request as a whole line. */
function certainTextAt(bytes: Buffer, offset: number): 'text' | 'more' | undefined {
  const head = bytes.toString('latin1', offset, offset + LONGEST_METHOD + 1);
  const shape = head.slice(0, RESPONSE.length).toUpperCase().replaceAll(/\d/g, '0');
  if (shape === RESPONSE) return 'text';
  const ends = offset + head.length === bytes.length;
  if (ends && RESPONSE.startsWith(shape)) return 'more';
  if (!METHODS.test(head)) return ends && /^[A-Z_]{1,20}$/.test(head) ? 'more' : undefined;
  const line = bytes.subarray(offset, offset + LONGEST_REQUEST);
  const feed = line.indexOf(LINE_FEED);
  if (feed < 0) return line.length < LONGEST_REQUEST ? 'more' : undefined;
  return REQUEST.test(line.toString('latin1', 0, feed)) ? 'text' : undefined;
}

/** The headers in the lines of a head below its start line; skips lines that are none. */
export function parseHeaders(lines: readonly string[]): RtspHeaders {
  const headers = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of lines) {
    // A line that begins with a blank continues the line before it (RFC 2326 section 15.1).
    if (/^[ \t]/.test(line)) {
      const more = line.trim();
      if (last !== undefined && more !== '') last.push(`${last.pop()} ${more}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    last = headers.get(name) ?? [];
    last.push(value);
    headers.set(name, last);
  }
  return headers;
}
