import type { Readable } from 'node:stream';

/** A picture on its way to the glass. */
export interface Photo {
  readonly type: string;
  /** In bytes. */
  readonly length: number;
  readonly body: Readable | Buffer;
}

/** Above this a picture is skipped: it would take the memory that the page needs. */
export const MAX_PHOTO_BYTES = 40_000_000;
const MAX_PIXELS = 100_000_000;
/** All but JPEG are decoded as a whole, with four bytes for each pixel. */
const MAX_WHOLE_PIXELS = 30_000_000;

/** What the bytes are, when the glass may show them. */
export async function shownKind(read: ReadBytes, length: number): Promise<PictureKind | undefined> {
  if (length > MAX_PHOTO_BYTES) return undefined;
  const kind = await pictureKind(read);
  const most = kind?.type === 'image/jpeg' ? MAX_PIXELS : MAX_WHOLE_PIXELS;
  return kind !== undefined && kind.width * kind.height <= most ? kind : undefined;
}

/** Where pictures come from, one after the other, again and again. */
export interface PhotoSource {
  /** Finds out what there is; calls back whenever that changes. */
  start(onChange: () => void): Promise<void>;
  readonly count: number;
  /** The next one that can be shown; undefined when none was found with a bounded number of tries. */
  next(): Promise<Photo | undefined>;
  stop(): void;
}

/** A picture that a browser shows, as its first bytes describe it. */
interface PictureKind {
  /** MIME type. */
  readonly type: string;
  /** In pixels, as stored: a turned picture has them the other way round on the screen. */
  readonly width: number;
  readonly height: number;
}

/** Reads bytes of a picture from a place on; fewer at its end. */
type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

/** Cameras write about ten segments before the picture itself; a colour profile may be split into many. */
const MAX_SEGMENTS = 300;
/** In the first bytes of an AVIF file stand its boxes; the pixels follow. */
const AVIF_BYTES = 65_536;

/**
 * Finds out by its content, never by its name, whether something is a picture that Chromium shows, and how large it is.
 * SVG is none: it is a document, with scripts and links. @returns undefined for everything else
 */
async function pictureKind(read: ReadBytes): Promise<PictureKind | undefined> {
  const head = await read(0, 32);
  if (head.length < 16) return undefined;
  const word = (from: number, to: number) => head.toString('latin1', from, to);
  if (head.readUIntBE(0, 3) === 0xffd8ff) return jpeg(read);
  if (word(0, 8) === '\x89PNG\r\n\x1a\n' && word(12, 16) === 'IHDR' && head.length >= 24)
    return sized('image/png', head.readUInt32BE(16), head.readUInt32BE(20));
  if (word(0, 6) === 'GIF87a' || word(0, 6) === 'GIF89a')
    return sized('image/gif', head.readUInt16LE(6), head.readUInt16LE(8));
  if (word(0, 4) === 'RIFF' && word(8, 12) === 'WEBP' && head.length >= 30) return webp(head);
  if (word(4, 8) === 'ftyp' && /^avi[fs]$/.test(word(8, 12))) return avif(await read(0, AVIF_BYTES));
  return undefined;
}

function sized(type: string, width: number, height: number): PictureKind | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}

/** ITU-T T.81 annex B: segments, each with a marker and a length, until the frame header says the size. */
async function jpeg(read: ReadBytes): Promise<PictureKind | undefined> {
  let offset = 2;
  for (let n = 0; n < MAX_SEGMENTS; n++) {
    const segment = await read(offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1]!;
    // 0xFF before a marker is filling.
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // C4, C8 and CC are tables; all others of the row are frame headers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return sized('image/jpeg', segment.readUInt16BE(7), segment.readUInt16BE(5));
    const length = segment.readUInt16BE(2);
    // The picture, or its end, came before its size.
    if (marker === 0xda || marker === 0xd9 || length < 2) return undefined;
    offset += 2 + length;
  }
  return undefined;
}

/** RFC 9649 sections 2.5 to 2.7. */
function webp(head: Buffer): PictureKind | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return sized('image/webp', head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return sized('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8 ':
      return sized('image/webp', head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
    default:
      return undefined;
  }
}

/** ISO/IEC 23008-12 section 6.5.3: each picture in the file has an `ispe` box; the largest counts. */
function avif(bytes: Buffer): PictureKind | undefined {
  let largest: PictureKind | undefined;
  for (let at = bytes.indexOf('ispe'); at >= 0; at = bytes.indexOf('ispe', at + 4)) {
    if (at + 16 > bytes.length) break;
    const found = sized('image/avif', bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
    if (found && found.width * found.height > (largest ? largest.width * largest.height : 0)) largest = found;
  }
  return largest;
}
