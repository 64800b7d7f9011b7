import { findHeadEnd, type Malformed, MESSAGE_LIMITS, type Parsed, parseMessage } from './parse.ts';
import { parseNumber } from './syntax.ts';

interface FramerEvents {
  onMessage(message: Exclude<Parsed, Malformed>): void;
  /** A message with a valid end that cannot be read. */
  onMalformed(message: Malformed): void;
  /** CRLF CRLF between messages: a keepalive that needs an answer (RFC 5626 section 4.4.1). */
  onPing(): void;
  /** A single CRLF: the answer to our keepalive. */
  onPong(): void;
  /** The start of the next message is unknown: the stream must be closed. */
  onLost(): void;
}

const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:(.*)$/gim;
const NOTHING = Buffer.alloc(0);
const CR = 13;
const LF = 10;
/** Room for a message of the usual size, and for the largest one, in bytes. */
const FIRST_ROOM = 4 * 1024;
const LARGEST_ROOM = MESSAGE_LIMITS.headBytes + MESSAGE_LIMITS.bodyBytes;
/** The longest part of a head's end that may be in bytes already searched: LF CR LF. */
const HEAD_END = 3;

/**
 * Splits a stream into messages by their Content-Length (RFC 3261 section 18.3). It reads each byte a fixed number of
 * times, however small the pieces of a message are.
 */
export class StreamFramer {
  readonly #events: FramerEvents;
  /** The waiting bytes are those from `#start` to `#end`. */
  #data: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** Waiting bytes already searched that contain no end of a head. */
  #searched = 0;
  /** Bytes of the whole message, once its head is complete. */
  #expected: number | undefined;
  #isLost = false;

  constructor(events: FramerEvents) {
    this.#events = events;
  }

  /** Bytes that wait for the rest of their message. */
  get buffered(): number {
    return this.#end - this.#start;
  }

  push(chunk: Buffer): void {
    if (this.#isLost) return;
    this.#append(chunk);
    while (!this.#isLost && this.buffered > 0) {
      if (!this.#takeKeepalive() && !this.#takeMessage()) return;
    }
    this.#forget();
  }

  /**
   * Appends the new bytes to the waiting ones; the buffer doubles, so that all copies together are as long as the data.
   */
  #append(chunk: Buffer): void {
    if (this.buffered === 0) {
      // No bytes are waiting: complete messages are read in place.
      this.#data = chunk;
      this.#start = 0;
      this.#end = chunk.length;
      return;
    }
    const length = this.buffered + chunk.length;
    if (this.#data.length - this.#end < chunk.length) {
      const wanted = Math.min(2 * length, LARGEST_ROOM);
      const room = Buffer.allocUnsafe(Math.max(FIRST_ROOM, wanted, length));
      this.#data.copy(room, 0, this.#start, this.#end);
      this.#data = room;
      this.#start = 0;
      this.#end = length - chunk.length;
    }
    chunk.copy(this.#data, this.#end);
    this.#end += chunk.length;
  }

  #takeKeepalive(): boolean {
    const [first, second, third, fourth] = this.#data.subarray(
      this.#start,
      Math.min(this.#start + 4, this.#end),
    );
    if (first !== CR && first !== LF) return false;
    if (first === CR && second === LF) {
      const isPing = third === CR && fourth === LF;
      this.#advance(isPing ? 4 : 2);
      if (isPing) this.#events.onPing();
      else this.#events.onPong();
      return true;
    }
    if (this.buffered > 1) this.#lose();
    return false;
  }

  #takeMessage(): boolean {
    this.#expected ??= this.#readHead();
    if (this.#expected === undefined || this.buffered < this.#expected) return false;
    // The parsed message holds only copies, so the buffer may be reused.
    const message = this.#data.subarray(this.#start, this.#start + this.#expected);
    this.#advance(this.#expected);
    this.#report(message);
    return true;
  }

  /** @returns the length of the message; undefined while its head is incomplete, or if the length cannot be known. */
  #readHead(): number | undefined {
    if (this.#isLost) return undefined;
    const data = this.#data.subarray(this.#start, this.#end);
    const end = findHeadEnd(data, Math.max(0, this.#searched - HEAD_END + 1));
    this.#searched = data.length;
    if (end === undefined || end.head > MESSAGE_LIMITS.headBytes) {
      if (data.length > MESSAGE_LIMITS.headBytes) this.#lose();
      return undefined;
    }
    const lengths = [...data.toString('latin1', 0, end.head).matchAll(CONTENT_LENGTH)];
    const length = parseNumber(lengths[0]?.[1] ?? '', MESSAGE_LIMITS.bodyBytes);
    if (length !== undefined && lengths.length === 1) return end.next + length;
    const parsed = parseMessage(data.subarray(0, end.next));
    const request = parsed.kind === 'request' && parsed.method !== 'ACK' ? parsed : undefined;
    this.#events.onMalformed(
      parsed.kind === 'malformed'
        ? parsed
        : { kind: 'malformed', problem: 'no Content-Length on a stream', status: 400, request },
    );
    this.#lose();
    return undefined;
  }

  #report(data: Buffer): void {
    const parsed = parseMessage(data);
    if (parsed.kind === 'malformed') this.#events.onMalformed(parsed);
    else this.#events.onMessage(parsed);
  }

  #advance(bytes: number): void {
    this.#start += bytes;
    this.#searched = 0;
    this.#expected = undefined;
  }

  /** A silent connection holds no buffer. */
  #forget(): void {
    this.#data = NOTHING;
    this.#start = this.#end = this.#searched = 0;
    this.#expected = undefined;
  }

  #lose(): void {
    this.#isLost = true;
    this.#forget();
    this.#events.onLost();
  }
}
