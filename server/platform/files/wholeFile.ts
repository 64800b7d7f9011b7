import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { access, constants, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf, errnoWords } from '../errno.ts';

/** A rename survives a loss of power only when its folder is synced too. @throws an errno exception */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** As `syncFolder`, for a start that may wait for nothing, and an end. @throws an errno exception */
export function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The most copies of one file; the oldest is removed. */
const MAX_COPIES = 2;

/**
 * Writes a file so that its name always holds a complete text, also after kill -9 and loss of power: to a temporary
 * file in the same folder, synced, renamed over the old one (rename(2)), the folder synced. Mode 0600; a folder it
 * makes gets 0700.
 * @throws an errno exception
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const temporary = `${path}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** As `writeWhole`, for a start that may wait for nothing, and an end. @throws an errno exception */
export function writeWholeNow(path: string, text: string | Uint8Array): void {
  const folder = dirname(path);
  const temporary = `${path}.tmp`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  syncFolderNow(folder);
}

/**
 * Keeps what a version wrote, as `<path>.v<version>`, before another version overwrites it. The last two copies
 * stay.
 * @throws an errno exception
 */
export async function keepCopy(path: string, text: string, version: number | string): Promise<void> {
  await writeWhole(`${path}.v${version}`, text);
  const folder = dirname(path);
  const isCopy = (name: string) =>
    name.startsWith(`${basename(path)}.v`) && /^\d[\w.+-]*$/.test(name.slice(basename(path).length + 2));
  const names = (await readdir(folder)).filter((name) => isCopy(name) && !name.endsWith('.tmp'));
  const copies = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name), { bigint: true })).mtimeNs })),
  );
  copies.sort((one, other) => (one.at < other.at ? 1 : -1));
  for (const { name } of copies.slice(MAX_COPIES)) await rm(join(folder, name), { force: true });
}

/**
 * The refusal for a caller whose change could not be written; errors that do not come from the system stay as they are.
 */
export function storageRefusal(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  return new FaceplateError(
    'STORAGE_FULL',
    `The state file ${basename(path)} could not be written: ${errnoWords(errno)}. Nothing was changed.`,
    { cause: error },
  );
}

/** Below this a file system counts as full, in bytes: state files are small, but each is written beside the old one. */
const FULL_BYTES = 1024 ** 2;

/** Whether a system error is one of a disk that takes no writes. */
export function isDiskErrno(code: string | undefined): boolean {
  return code !== undefined && ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(code);
}

/** Why nothing can be written to a folder now, as one sentence; undefined where it can. Nothing is written to see it. */
export async function whyNoRoom(folder: string): Promise<string | undefined> {
  try {
    const { bavail, bsize, files, ffree } = await statfs(folder);
    if (bavail * bsize < FULL_BYTES) return 'The disk of the data folder is full.';
    // Some file systems count no files, and say 0 of 0.
    if (files > 0 && ffree === 0) return 'The disk of the data folder takes no more files.';
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return `The data folder cannot be written: ${errnoWords(errnoOf(error) ?? 'EIO')}.`;
  }
}
