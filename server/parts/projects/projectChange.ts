import { createHash, hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { Archive, ByteBudget } from '../../platform/archive/archive.ts';
import { EntryPlan } from '../../platform/archive/archiveNames.ts';
import type { DiskClaim } from '../../platform/archive/diskSpace.ts';
import { errnoOf } from '../../platform/errno.ts';
import { syncFolder } from '../../platform/files/wholeFile.ts';
import { mustHavePage, type UnpackOptions } from './projectArchive.ts';

/** Largest file that is read at once, in bytes. */
const READ_AT_ONCE = 1024 ** 2;

/** SHA-256 of each file of a version, by its path. */
type Digests = ReadonlyMap<string, string>;

interface Change {
  /** Folder of the version that it changes. */
  readonly from: string;
  /** Path of a zip archive with the files that are new or changed. */
  readonly archive: string;
  /** Paths of the files that went. */
  readonly removed: readonly string[];
  /** What the whole has to be: the digest of `treeDigest`. */
  readonly sha256: string;
}

/**
 * Makes a new version from the one before: files that did not change are linked, as no file of a version is ever written
 * again. Remembers the digests of the last one, so that a change of one file does not read all others.
 */
export class ProjectChanges {
  #known: { readonly folder: string; readonly digests: Digests } | undefined;

  /**
   * @param target folder for the files; it exists and is empty
   * @returns bytes of the files
   * @throws FaceplateError CONFLICT when the project was another one than the caller thinks, INVALID_REQUEST for what an
   * install is refused for; a system error when writing fails
   */
  async unpack(
    { from, archive, removed, sha256 }: Change,
    target: string,
    options: UnpackOptions,
  ): Promise<{ readonly size: number; readonly digests: Digests }> {
    const changed = await Archive.open(archive, options.limits);
    const room = await options.space.claim(Math.min(changed.promisedBytes, options.limits.bytes));
    try {
      const kept = await sizesIn(from);
      for (const path of removed) if (!kept.delete(path)) throw another();
      for (const { path } of changed.files) kept.delete(path);
      // The names of both together obey the rules of one archive.
      const plan = new EntryPlan(options.limits.files);
      for (const path of [...kept.keys(), ...changed.files.map((file) => file.path)]) plan.add(plain(path));
      mustHavePage(plan.files.map(({ path }) => path));
      const keptBytes = [...kept.values()].reduce((sum, size) => sum + size, 0);
      await linkAll([...kept.keys()], from, target, room, options.signal);
      const budget = new ByteBudget(options.limits.bytes, room, keptBytes);
      await changed.unpack(target, budget, options.signal);
      const before = this.#known?.folder === from ? this.#known.digests : new Map<string, string>();
      const digests = new Map<string, string>();
      for (const { path } of plan.files) {
        options.signal.throwIfAborted();
        const same = kept.has(path) ? before.get(path) : undefined;
        digests.set(path, same ?? (await digestOf(join(target, path))));
      }
      if (treeDigest(digests) !== sha256.toLowerCase()) throw another();
      return { size: budget.used, digests };
    } finally {
      room.release();
      changed.close();
    }
  }

  /** The digests of a version that was made of them. */
  remember(folder: string, digests: Digests): void {
    this.#known = { folder, digests };
  }
}

/** Hex SHA-256 of the list that `sha256sum` writes of these files, sorted by the bytes of their paths. */
export function treeDigest(digests: Digests): string {
  const paths = [...digests.keys()].sort((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  const list = createHash('sha256');
  for (const path of paths) list.update(`${digests.get(path)}  ${path}\n`);
  return list.digest('hex');
}

/** Files below a folder by their path, with their sizes in bytes. */
async function sizesIn(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    sizes.set(relative(folder, path), (await stat(path)).size);
  }
  return sizes;
}

async function linkAll(
  paths: readonly string[],
  from: string,
  to: string,
  room: DiskClaim,
  signal: AbortSignal,
): Promise<void> {
  const made = new Set([to]);
  for (const path of paths) {
    signal.throwIfAborted();
    const [source, target] = [join(from, path), join(to, path)];
    const parent = dirname(target);
    if (!made.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
    made.add(parent);
    try {
      await link(source, target);
    } catch (error) {
      // A file system without links, or a file with too many of them.
      if (!['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
      await room.take((await stat(source)).size);
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await using file = await open(target, 'r');
      await file.datasync();
    }
  }
  // A written file is synced with its name; a link has only its name, which the folder holds.
  for (const folder of made) await syncFolder(folder);
}

async function digestOf(path: string): Promise<string> {
  if ((await stat(path)).size <= READ_AT_ONCE) return hash('sha256', await readFile(path));
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

function plain(fileName: string) {
  return { fileName, externalFileAttributes: 0, compressionMethod: 0, isEncrypted: () => false };
}

function another(): FaceplateError {
  return new FaceplateError(
    'CONFLICT',
    'The project would not be what the digest says: the panel has another version of it. Send the whole project.',
  );
}
