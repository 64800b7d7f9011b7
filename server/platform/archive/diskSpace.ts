import type { Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue } from '../async.ts';
import { errnoOf } from '../errno.ts';

const MIB = 1024 ** 2;
/** Bytes that stay free for everything else that the panel writes. */
const RESERVE_BYTES = 64 * MIB;
/** The disk is checked again after this many bytes; a file of unknown size claims space in these steps. */
const STEP_BYTES = 16 * MIB;

/** What waits here is short and ends on its own. */
const never = new AbortController().signal;

/**
 * Disk space for everything that is being received and unpacked: space promised to one file is never promised to
 * another.
 */
export class DiskSpace {
  readonly #freeBytes: () => Promise<number>;
  /** One after the other: two simultaneous callers must see each other, and the first one gets the space. */
  readonly #turn = new CallQueue();
  /** Bytes that are promised but not written yet. */
  #promised = 0;

  constructor(freeBytes: () => Promise<number>) {
    this.#freeBytes = freeBytes;
  }

  /**
   * Claims space for a file; undefined when its size is not known.
   * @throws FaceplateError STORAGE_FULL when it would leave too little
   */
  async claim(bytes: number | undefined): Promise<DiskClaim> {
    const claim = new DiskClaim(this);
    await claim.grow(bytes ?? STEP_BYTES);
    return claim;
  }

  /** Checks the disk and promises more of it. @throws FaceplateError STORAGE_FULL, and nothing is promised then */
  async promise(bytes: number): Promise<void> {
    await this.#turn.run(never, async () => {
      const free = await this.#freeBytes();
      const needed = this.#promised + bytes + RESERVE_BYTES;
      if (free >= needed) {
        this.#promised += bytes;
        return;
      }
      const mib = (count: number) => `${Math.ceil(count / MIB)} MiB`;
      throw new FaceplateError(
        'STORAGE_FULL',
        `This needs ${mib(needed)} of free space, the panel has ${mib(free)}. Nothing was changed.`,
      );
    });
  }

  /** Bytes that were written, or never will be: from now on only the disk itself counts them. */
  settle(bytes: number): void {
    this.#promised -= bytes;
  }
}

/** The space of one file or archive. It ends with `release`, however much was written. */
export class DiskClaim {
  readonly #space: DiskSpace;
  #left = 0;
  #sinceLook = 0;

  constructor(space: DiskSpace) {
    this.#space = space;
  }

  /** @throws FaceplateError STORAGE_FULL */
  async grow(bytes: number): Promise<void> {
    await this.#space.promise(bytes);
    this.#left += bytes;
  }

  /** Bytes that are written next; checks the disk every 16 MiB. @throws FaceplateError STORAGE_FULL */
  async take(bytes: number): Promise<void> {
    if (bytes > this.#left) await this.grow(Math.max(STEP_BYTES, bytes));
    this.#left -= bytes;
    this.#space.settle(bytes);
    this.#sinceLook += bytes;
    if (this.#sinceLook < STEP_BYTES) return;
    this.#sinceLook = 0;
    await this.#space.promise(0);
  }

  release(): void {
    this.#space.settle(this.#left);
    this.#left = 0;
  }
}

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
