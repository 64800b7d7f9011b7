import { constants } from 'node:fs';
import { chmod, lstat, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { invalid } from '../../parts/apps/packageFile.ts';
import {
  isTooOld,
  OLDEST_NOTE,
  type OldestSources,
  oldestInKeys,
  oldestVersion,
} from '../../parts/update/oldestVersion.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import { isSemver } from '../../platform/texts.ts';

/** The certificates whose keys may sign packages of others, and those that may sign the package `faceplate`. */
export const PACKAGE_KEYS = '/etc/faceplate/package-keys.pem';
export const UPDATE_KEYS = '/etc/faceplate/update-keys.pem';

/** Longest file of certificates that is read, in bytes. */
const MAX_BYTES = 256 * 1024;
/** Write permission of the group and of others (inode(7)). */
const WRITE_OF_OTHERS = 0o022;

/** The certificates of a file, or why there are none. */
export type TrustedKeys = { readonly pem: string } | { readonly none: string };

/**
 * Reads a file of X.509 certificates. It counts only when its owner alone controls its content: file and folder belong
 * to root, no one else may write them, and neither is a link.
 * @param owner user id of root; tests that are not root name their own
 */
export async function trustedKeys(path: string, owner = 0): Promise<TrustedKeys> {
  const none = (why: string) => ({ none: `${path} ${why}` });
  try {
    const folder = await lstat(dirname(path));
    if (!folder.isDirectory() || folder.uid !== owner || folder.mode & WRITE_OF_OTHERS)
      return none('lies in a folder that does not belong to root alone');
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return none('is no regular file');
      if (stats.uid !== owner || stats.mode & WRITE_OF_OTHERS) return none('does not belong to root alone');
      if (stats.size > MAX_BYTES) return none('is too long');
      const pem = await file.readFile('utf8');
      // A slip of the pen must not take the limit away.
      if (!oldestInKeys(pem).every(isSemver)) return none('has an oldest-version that is none');
      return pem.includes('-----BEGIN CERTIFICATE-----') ? { pem } : none('holds no certificate');
    } finally {
      await file.close();
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return none('is not there');
    if (errno === 'ELOOP') return none('is a link');
    throw error;
  }
}

/** Where root keeps what it needs to know how old a version may be. */
type OldestFolders = Pick<OldestSources, 'manifest' | 'state'>;

/**
 * The oldest version that this panel takes. It is noted, so that it only rises: neither an older version nor a file of
 * certificates without its line lowers it again.
 */
export async function notedOldest(keys: TrustedKeys, { manifest, state }: OldestFolders): Promise<string> {
  const oldest = await oldestVersion({ keys: 'pem' in keys ? keys.pem : undefined, manifest, state });
  const note = join(state, OLDEST_NOTE);
  const noted = await readFile(note, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return '0.0.0';
    throw error;
  });
  if (noted.trim() !== oldest) {
    // The service reads it, too.
    await writeWhole(note, `${oldest}\n`);
    await chmod(note, 0o644);
  }
  return oldest;
}

/** @throws FaceplateError INVALID_REQUEST where a version that somebody wants to install is too old */
export async function mustNotBeTooOld(
  version: string,
  keys: TrustedKeys,
  folders: OldestFolders,
): Promise<void> {
  if (!isSemver(version)) throw invalid('The bundle has no version.');
  const oldest = await notedOldest(keys, folders);
  if (isTooOld(version, oldest))
    throw invalid(`${version} is older than ${oldest}, the oldest version that this panel takes.`);
}

/**
 * Only for a version that has proved itself: one that fails always has its way back.
 * @param before the version to return to
 * @throws FaceplateError CONFLICT where it is too old
 */
export async function mustNotReturnTo(
  before: string,
  keys: TrustedKeys,
  folders: OldestFolders,
): Promise<void> {
  const oldest = await notedOldest(keys, folders);
  if (isTooOld(before, oldest))
    throw new FaceplateError(
      'CONFLICT',
      `The version before is older than ${oldest}, the oldest version that this panel takes.`,
    );
}
