import type { Readable } from 'node:stream';

/** A member of a tar archive with its content. */
interface TarMember {
  /** As in the archive, without a leading `./`. */
  readonly name: string;
  /** Of a link: empty. */
  readonly content: Uint8Array;
  readonly isLink: boolean;
}

const BLOCK = 512;

/**
 * Reads a tar stream in one pass (ustar and the long names of GNU tar, as dpkg-deb writes them) and keeps the requested
 * members. Memory is limited by `maxBytes` per member and `maxMembers`, whatever the headers say.
 * @throws Error when the stream is no tar archive
 */
export async function readTar(
  stream: Readable,
  wanted: (name: string) => boolean,
  { maxBytes, maxMembers }: { maxBytes: number; maxMembers: number },
): Promise<TarMember[]> {
  const members: TarMember[] = [];
  const source = new BlockReader(stream);
  let longName: string | undefined;
  for (;;) {
    const header = await source.take(BLOCK);
    if (header.length < BLOCK || header.every((byte) => byte === 0)) return members;
    const size = readOctal(header.subarray(124, 136));
    const type = String.fromCharCode(header[156]!);
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'L') {
      if (size > BLOCK * 16) throw new Error('a name in the archive is too long');
      longName = readText(await source.take(padded));
      continue;
    }
    const name = (longName ?? nameOf(header)).replace(/^\.?\//, '');
    longName = undefined;
    const isLink = type === '1' || type === '2';
    const keep = wanted(name) && (isLink || type === '0' || type === '\0') && size <= maxBytes;
    if (!keep) {
      await source.skip(padded);
      continue;
    }
    const content = (await source.take(padded)).subarray(0, size);
    members.push({ name, content, isLink });
    if (members.length >= maxMembers) return members;
  }
}

function nameOf(header: Uint8Array): string {
  const isUstar = readText(header.subarray(257, 262)) === 'ustar' && header[262] === 0;
  const prefix = isUstar ? readText(header.subarray(345, 500)) : '';
  const name = readText(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

/** A size field: octal digits, or above 8 GiB a big-endian number after 0x80 (GNU tar). */
function readOctal(field: Uint8Array): number {
  if (field[0] === 0x80) return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  const size = Number.parseInt(readText(field).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive is damaged');
  return size;
}

/** Splits a byte stream into pieces of the requested size. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next `count` bytes; fewer at the end of the stream. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    let missing = count;
    while (missing > 0 && (await this.#fill())) {
      const skipped = Math.min(missing, this.#rest.length);
      this.#rest = this.#rest.subarray(skipped);
      missing -= skipped;
    }
  }

  async #fill(): Promise<boolean> {
    if (this.#rest.length > 0) return true;
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#rest = value;
    return this.#fill();
  }
}
