import type { Readable } from 'node:stream';
import { type PictureKind, pictureKind, type ReadBytes } from './pictureKind.ts';

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
