import { FaceplateError } from '../../contract/errors.ts';
import { MAX_PICTURE } from './picture.ts';

/** Most bytes of the headers of a part. */
const MAX_HEADERS = 8 * 1024;
const FIRST_ROOM = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Reads the parts of `multipart/x-mixed-replace` (RFC 2046 section 5.1) as cameras send them: with a length or up to the next
 * delimiter, whose dashes may be part of the boundary or not, with line ends of one or two bytes.
 */
export class PartReader {
  readonly #start: Buffer;
  /** What ends a part without a length. */
  readonly #end: Buffer;
  #room = Buffer.alloc(FIRST_ROOM);
  #size = 0;
  /** Bytes of the next part; undefined: up to the delimiter. Null: its headers have not come. */
  #length: number | undefined | null = null;
  /** How far the delimiter was looked for. */
  #looked = 0;

  /** @param type the media type of the answer */
  constructor(type: string) {
    const boundary = /boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(type);
    const name = (boundary?.[1] ?? boundary?.[2] ?? '').replace(/^-+/, '').slice(0, 200);
    this.#start = Buffer.from(`--${name}`, 'latin1');
    // Two dashes alone stand in pictures too.
    this.#end = Buffer.from(name === '' ? '\n--' : `--${name}`, 'latin1');
  }

  /** Takes the next bytes. @throws FaceplateError TOO_LARGE for a part over 8 MiB */
  push(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > MAX_PICTURE + MAX_HEADERS) throw tooLarge();
    if (size > this.#room.length) {
      const room = Buffer.alloc(Math.max(size, 2 * this.#room.length));
      this.#room.copy(room, 0, 0, this.#size);
      this.#room = room;
    }
    chunk.copy(this.#room, this.#size);
    this.#size = size;
  }

  /** The next whole part; undefined until more has come. @throws FaceplateError CAMERA_PROTOCOL, TOO_LARGE */
  next(): Buffer | undefined {
    if (this.#length === null && !this.#readHeaders()) return undefined;
    return this.#length === undefined ? this.#upToDelimiter() : this.#ofLength(this.#length!);
  }

  /** What is left once nothing more comes; undefined where that is no part. */
  last(): Buffer | undefined {
    return this.#length === undefined && this.#size > 0 ? this.#take(this.#size, this.#size) : undefined;
  }

  #readHeaders(): boolean {
    const bytes = this.#room.subarray(0, this.#size);
    // What stands before the first delimiter belongs to no part.
    const start = bytes.indexOf(this.#start);
    const from = Math.max(0, start);
    const text = bytes.toString('latin1', from, from + MAX_HEADERS);
    const head = start < 0 ? null : /\r?\n\r?\n/.exec(text);
    if (head === null) {
      if (text.length < MAX_HEADERS) return false;
      throw new FaceplateError('CAMERA_PROTOCOL', 'The camera sends parts without their headers.');
    }
    const headers = text.slice(0, head.index);
    const length = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(headers)?.[1] ?? 0);
    if (length > MAX_PICTURE) throw tooLarge();
    // Some write the headers before they have the picture, with a length of 0.
    this.#length = length > 0 ? length : undefined;
    this.#drop(start + head.index + head[0].length);
    return true;
  }

  #ofLength(length: number): Buffer | undefined {
    return this.#size < length ? undefined : this.#take(length, length);
  }

  #upToDelimiter(): Buffer | undefined {
    const bytes = this.#room.subarray(0, this.#size);
    const at = bytes.indexOf(this.#end, Math.max(0, this.#looked - this.#end.length));
    this.#looked = this.#size;
    if (at < 0) return undefined;
    let length = at;
    if (bytes[length - 1] === LINE_FEED) length--;
    if (bytes[length - 1] === CARRIAGE_RETURN) length--;
    return this.#take(length, at);
  }

  /** The first bytes as the part. @param used how many are no longer needed */
  #take(length: number, used: number): Buffer {
    const part = Buffer.from(this.#room.subarray(0, length));
    this.#length = null;
    this.#drop(used);
    return part;
  }

  #drop(used: number): void {
    this.#room.copyWithin(0, used, this.#size);
    this.#size -= used;
    this.#looked = 0;
  }
}

function tooLarge(): FaceplateError {
  return new FaceplateError('TOO_LARGE', "The camera's picture is larger than 8 MiB.");
}
