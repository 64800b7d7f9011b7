import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { FaceplateError } from '../../contract/errors.ts';
import type { DiskSpace } from './diskSpace.ts';

/** A file for an archive: its name in there, and its bytes or the path of the file that holds them. */
export interface PackedFile {
  readonly name: string;
  readonly source: Uint8Array | { readonly path: string };
}

interface WriteOptions {
  readonly limitBytes: number;
  readonly space: DiskSpace;
  readonly signal: AbortSignal;
}

/** Mode of a regular file that its owner alone may read. */
const MODE = 0o100600;

/**
 * Writes a zip archive (APPNOTE.TXT) to a new file. The files are read one after the other, so memory does not grow with
 * them.
 * @throws FaceplateError TOO_LARGE beyond the limit, STORAGE_FULL, or a system error
 */
export async function writeZip(
  path: string,
  files: readonly PackedFile[],
  { limitBytes, space, signal }: WriteOptions,
): Promise<void> {
  const zip = new ZipFile();
  const failed = Promise.withResolvers<never>();
  zip.on('error', failed.reject);
  for (const { name, source } of files) {
    if (source instanceof Uint8Array) zip.addBuffer(Buffer.from(source), name, { mode: MODE });
    else
      zip.addReadStreamLazy(name, { mode: MODE }, (give) => {
        const file = createReadStream(source.path);
        // The library knows only of the stream that it was given: a file that cannot be read would leave it waiting.
        file.once('error', failed.reject);
        give(null, file);
      });
  }
  zip.end();
  const claim = await space.claim(undefined);
  const failing = new AbortController();
  failed.promise.catch((error: unknown) => failing.abort(error));
  try {
    let written = 0;
    await pipeline(
      zip.outputStream as Readable,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          written += chunk.length;
          if (written > limitBytes)
            throw new FaceplateError(
              'TOO_LARGE',
              `The archive is larger than ${limitBytes / 1024 ** 2} MiB.`,
            );
          await claim.take(chunk.length);
          yield chunk;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      { signal: AbortSignal.any([signal, failing.signal]) },
    );
  } catch (error) {
    throw failing.signal.aborted ? failing.signal.reason : error;
  } finally {
    claim.release();
  }
}
