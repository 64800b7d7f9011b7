import type { Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../errno.ts';
import { EntryPlan, entryName, type PlannedFile, refused } from './archiveNames.ts';
import type { DiskClaim } from './diskSpace.ts';

export interface UnpackLimits {
  readonly files: number;
  /** Bytes of all files together, unpacked. */
  readonly bytes: number;
}

/** What an archive may hold; docs/projects.md explains it to authors. */
export const unpackLimits: UnpackLimits = { files: 20_000, bytes: 1024 ** 3 };

/** Bytes that may still be unpacked: counted as they arrive, whatever the headers say. */
export class ByteBudget {
  readonly #limit: number;
  readonly #room: DiskClaim | undefined;
  #left: number;

  /**
   * @param room on the disk, for bytes that are written
   * @param used bytes that are there already
   */
  constructor(limit: number, room?: DiskClaim, used = 0) {
    this.#limit = limit;
    this.#room = room;
    this.#left = limit - used;
  }

  get used(): number {
    return this.#limit - this.#left;
  }

  /** @throws FaceplateError INVALID_REQUEST when they are used up, STORAGE_FULL */
  async take(bytes: number): Promise<void> {
    this.#left -= bytes;
    if (this.#left < 0)
      throw refused(`The archive holds more than ${this.#limit / 1024 ** 2} MiB when it is unpacked.`);
    await this.#room?.take(bytes);
  }
}

/** A zip archive with checked names and kinds; its bytes are checked as they are unpacked. */
export class Archive {
  readonly files: readonly PlannedFile<Entry>[];
  readonly #zip: ZipFile;

  private constructor(zip: ZipFile, files: readonly PlannedFile<Entry>[]) {
    this.#zip = zip;
    this.files = files;
  }

  /** @throws FaceplateError INVALID_REQUEST when it is no zip archive or holds something that is not allowed */
  static async open(path: string, limits: UnpackLimits): Promise<Archive> {
    return damaged(async () => {
      const zip = await openPromise(path, { autoClose: false, decodeStrings: false });
      try {
        const plan = new EntryPlan<Entry>(limits.files);
        for await (const entry of zip.eachEntry()) {
          entry.fileName = entryName(entry);
          plan.add(entry);
        }
        return new Archive(zip, plan.files);
      } catch (error) {
        zip.close();
        throw error;
      }
    });
  }

  find(path: string): PlannedFile<Entry> | undefined {
    return this.files.find((file) => file.path === path);
  }

  /** Bytes that the headers announce; only good for a first check of the free space. */
  get promisedBytes(): number {
    return this.files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
  }

  /** Unpacks all files below `folder`, which is empty. @throws FaceplateError INVALID_REQUEST, or a system error */
  async unpack(folder: string, budget: ByteBudget, signal: AbortSignal): Promise<void> {
    const made = new Set<string>();
    for (const file of this.files) {
      const target = join(folder, file.path);
      const parent = dirname(target);
      if (!made.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
      made.add(parent);
      await this.extract(file, target, budget, signal);
    }
  }

  /** Writes one file, synced; `digest` gets its bytes too. @throws as `unpack` */
  async extract(
    { path, entry }: PlannedFile<Entry>,
    target: string,
    budget: ByteBudget,
    signal: AbortSignal,
    digest?: Hash,
  ): Promise<void> {
    // `wx`: never writes through an existing file, above all not through a link.
    const file = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
    await damaged(async () => {
      const packed = await this.#zip.openReadStreamPromise(entry);
      await pipeline(packed, (chunks) => checked(chunks, path, entry, budget, digest), file, { signal });
    }, file);
  }

  /** All of a small file. @throws FaceplateError INVALID_REQUEST, also beyond `limit` bytes */
  async read({ path, entry }: PlannedFile<Entry>, limit: number): Promise<Buffer> {
    return damaged(async () => {
      const packed = await this.#zip.openReadStreamPromise(entry);
      const chunks: Buffer[] = [];
      for await (const chunk of checked(packed, path, entry, new ByteBudget(limit))) chunks.push(chunk);
      return Buffer.concat(chunks);
    });
  }

  close(): void {
    this.#zip.close();
  }
}

async function* checked(
  chunks: AsyncIterable<Buffer>,
  path: string,
  entry: Entry,
  budget: ByteBudget,
  digest?: Hash,
): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of chunks) {
    await budget.take(chunk.length);
    sum = crc32(chunk, sum);
    digest?.update(chunk);
    yield chunk;
  }
  if (sum !== entry.crc32) throw refused(`The archive is damaged: ${path} has a wrong checksum.`);
}

/** Runs `work`; what the zip library finds wrong becomes a refusal, errors of the system stay as they are. */
async function damaged<T>(work: () => Promise<T>, file?: { destroy(): unknown }): Promise<T> {
  try {
    return await work();
  } catch (error) {
    file?.destroy();
    const isOther =
      error instanceof FaceplateError ||
      errnoOf(error) !== undefined ||
      (error as Error).name === 'AbortError';
    if (isOther) throw error;
    const words = (error as Error).message
      .replace(/\p{Cc}/gu, '?')
      .replace(/\.$/, '')
      .slice(0, 120);
    throw refused(`The archive is no sound zip file: ${words}.`, error);
  }
}
