import type { Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../contract/command.ts';
import { errnoOf } from '../errno.ts';
import type { DiskSpace } from './diskSpace.ts';

interface ReceiveOptions {
  /** Where room for the file is claimed. */
  readonly space: DiskSpace;
  readonly signal: AbortSignal;
  /** Gets the bytes too. */
  readonly digest?: Hash;
}

/** Writes an arriving file to a new one. @throws FaceplateError STORAGE_FULL, those of the upload, or a system error */
export async function receiveFile(
  { size, bytes }: Upload,
  path: string,
  { space, signal, digest }: ReceiveOptions,
): Promise<void> {
  const claim = await space.claim(size);
  try {
    await pipeline(
      bytes,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          await claim.take(chunk.length);
          digest?.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      { signal },
    );
  } finally {
    claim.release();
  }
}

/** Free bytes of the file system that holds a path, which need not be there yet. */
export async function freeBytesOf(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return freeBytesOf(dirname(path));
  }
}
