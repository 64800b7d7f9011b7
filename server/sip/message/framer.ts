import { findHeadEnd, type Malformed, MESSAGE_LIMITS, type Parsed, parseMessage } from './parse.ts';
import { parseNumber } from './syntax.ts';

export interface FramerEvents {
  onMessage(message: Exclude<Parsed, Malformed>): void;
  /** A message that ends where it should, but cannot be read. */
  onMalformed(message: Malformed): void;
  /** CRLF CRLF between messages: a keepalive that wants an answer (RFC 5626 section 4.4.1). */
  onPing(): void;
  /** A single CRLF: the answer to ours. */
  onPong(): void;
  /** Where the next message begins is not known: the stream has to be closed. */
  onLost(): void;
}

const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:(.*)$/gim;

/** Cuts a stream into messages by their Content-Length (RFC 3261 section 18.3). */
export class StreamFramer {
  readonly #events: FramerEvents;
  #data: Buffer = Buffer.alloc(0);
  #isLost = false;

  constructor(events: FramerEvents) {
    this.#events = events;
  }

  /** Bytes that wait for the rest of their message. */
  get buffered(): number {
    return this.#data.length;
  }

  push(chunk: Buffer): void {
    if (this.#isLost) return;
    this.#data = this.#data.length === 0 ? chunk : Buffer.concat([this.#data, chunk]);
    while (!this.#isLost && this.#data.length > 0) {
      if (!this.#takeKeepalive() && !this.#takeMessage()) return;
    }
  }

  #takeKeepalive(): boolean {
    if (this.#data[0] !== 13 && this.#data[0] !== 10) return false;
    if (this.#data.indexOf('\r\n\r\n') === 0) {
      this.#data = this.#data.subarray(4);
      this.#events.onPing();
      return true;
    }
    if (this.#data.indexOf('\r\n') === 0) {
      this.#data = this.#data.subarray(2);
      this.#events.onPong();
      return true;
    }
    if (this.#data.length === 1) return false;
    this.#lose();
    return false;
  }

  #takeMessage(): boolean {
    const end = findHeadEnd(this.#data);
    if (end === undefined || end.head > MESSAGE_LIMITS.headBytes) {
      if (this.#data.length > MESSAGE_LIMITS.headBytes) this.#lose();
      return false;
    }
    const lengths = [...this.#data.toString('latin1', 0, end.head).matchAll(CONTENT_LENGTH)];
    const length = parseNumber(lengths[0]?.[1] ?? '', MESSAGE_LIMITS.bodyBytes);
    if (length === undefined || lengths.length > 1) {
      const parsed = parseMessage(this.#data.subarray(0, end.next));
      const request = parsed.kind === 'request' && parsed.method !== 'ACK' ? parsed : undefined;
      this.#events.onMalformed(
        parsed.kind === 'malformed'
          ? parsed
          : { kind: 'malformed', problem: 'no Content-Length on a stream', status: 400, request },
      );
      this.#lose();
      return false;
    }
    if (this.#data.length < end.next + length) return false;
    const message = this.#data.subarray(0, end.next + length);
    this.#data = Buffer.from(this.#data.subarray(end.next + length));
    this.#report(message);
    return true;
  }

  #report(data: Buffer): void {
    const parsed = parseMessage(data);
    if (parsed.kind === 'malformed') this.#events.onMalformed(parsed);
    else this.#events.onMessage(parsed);
  }

  #lose(): void {
    this.#isLost = true;
    this.#data = Buffer.alloc(0);
    this.#events.onLost();
  }
}
