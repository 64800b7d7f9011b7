const PUBLISH = 3;
/** Longest fixed header: a type and a length of four bytes (MQTT 5, 2.1). */
const MOST_HEADER_BYTES = 5;
/** What is kept of a longer message: its topic and more than a command may be long. */
const KEPT_BYTES = 1_280 * 1_024;

/**
 * Shortens messages in the bytes of a broker before anybody holds them: MQTT 3.1.1 knows no largest packet, and one
 * message may have 256 MiB. A shortened one is still a packet, so it can be acknowledged and refused.
 */
export class ClippedPackets {
  readonly #mostBytes: number;
  /** The beginning of a header whose end has not come. */
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the packet that are handed on. */
  #pass = 0;
  /** Bytes of the packet that are left out after them. */
  #skip = 0;

  /** @param mostBytes longest packet that is left whole, without its header */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What is left of the next bytes. @throws Error when they are no MQTT, or a packet that is no message is too long */
  take(chunk: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    let bytes = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    this.#header = Buffer.alloc(0);
    /** Where the bytes begin that are handed on as they are. */
    let from = 0;
    for (let at = 0; at < bytes.length; ) {
      if (this.#pass > 0) {
        const taken = Math.min(this.#pass, bytes.length - at);
        this.#pass -= taken;
        at += taken;
      } else if (this.#skip > 0) {
        if (at > from) parts.push(bytes.subarray(from, at));
        const left = Math.min(this.#skip, bytes.length - at);
        this.#skip -= left;
        bytes = bytes.subarray(at + left);
        from = 0;
        at = 0;
      } else {
        const header = headerAt(bytes, at);
        if (header === undefined) {
          this.#header = Buffer.from(bytes.subarray(at));
          bytes = bytes.subarray(0, at);
          break;
        }
        const isLong = header.length > this.#mostBytes;
        if (isLong && bytes[at]! >> 4 !== PUBLISH) throw new Error('a packet of the broker is too long');
        if (isLong) {
          if (at > from) parts.push(bytes.subarray(from, at));
          parts.push(Buffer.concat([bytes.subarray(at, at + 1), encodedLength(KEPT_BYTES)]));
          from = header.end;
        }
        this.#pass = isLong ? KEPT_BYTES : header.length;
        this.#skip = header.length - this.#pass;
        at = header.end;
      }
    }
    if (bytes.length > from) parts.push(bytes.subarray(from));
    return parts;
  }
}

interface Header {
  /** Bytes of the packet after its header. */
  readonly length: number;
  /** Where the header ends. */
  readonly end: number;
}

/** @returns undefined when its end has not come @throws Error when the length is none */
function headerAt(bytes: Buffer, start: number): Header | undefined {
  let length = 0;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    length += (byte & 0x7f) * 128 ** (at - start - 1);
    if (byte < 0x80) return { length, end: at + 1 };
    if (at - start + 1 >= MOST_HEADER_BYTES) throw new Error('what the broker sends is no MQTT');
  }
  return undefined;
}

/** A length as MQTT 5 section 1.5.5 has it. */
function encodedLength(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; bytes.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
  return Buffer.from(bytes);
}
