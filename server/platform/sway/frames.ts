/** The largest message that is taken, in bytes. The tree of a few windows has some thousand. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAGIC = Buffer.from('i3-ipc', 'latin1');
const HEADER_BYTES = MAGIC.length + 8;

/** A message of the protocol: magic, length and type in the byte order of the machine, then text. */
export interface Frame {
  readonly type: number;
  readonly text: string;
}

/** A message as bytes: sway-ipc(7), "Messages and responses". */
export function frame(type: number, text: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  const payload = Buffer.from(text, 'utf8');
  header.writeUInt32LE(payload.length, MAGIC.length);
  header.writeUInt32LE(type, MAGIC.length + 4);
  return Buffer.concat([header, payload]);
}

/** Cuts a stream into messages. */
export class FrameReader {
  #parts: Buffer[] = [];
  #length = 0;

  /** @returns the messages that these bytes complete. @throws Error when the stream is not of this protocol */
  take(bytes: Buffer): Frame[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const frames: Frame[] = [];
    for (;;) {
      if (this.#length < HEADER_BYTES) return frames;
      const header = this.#joined();
      const size = header.readUInt32LE(MAGIC.length);
      if (!header.subarray(0, MAGIC.length).equals(MAGIC) || size > MAX_BYTES)
        throw new Error('The compositor sent something that is no message.');
      const end = HEADER_BYTES + size;
      if (this.#length < end) return frames;
      const all = this.#joined(end);
      frames.push({
        type: all.readUInt32LE(MAGIC.length + 4),
        text: all.toString('utf8', HEADER_BYTES, end),
      });
      this.#parts = [all.subarray(end)];
      this.#length = all.length - end;
    }
  }

  /** The bytes so far as one buffer; joined only as far as needed, so that a long message is not copied for each piece. */
  #joined(bytes: number = HEADER_BYTES): Buffer {
    const [first] = this.#parts;
    if (first !== undefined && first.length >= bytes) return first;
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}
