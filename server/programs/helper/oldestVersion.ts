import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { invalid } from '../../parts/apps/packageFile.ts';
import {
  isTooOld,
  OLDEST_NOTE,
  type OldestSources,
  oldestVersion,
} from '../../parts/update/oldestVersion.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';
import { isSemver } from '../../platform/texts.ts';
import type { TrustedKeys } from './trustedKeys.ts';

/** Where root keeps what it needs to know how old a version may be. */
export type OldestFolders = Pick<OldestSources, 'manifest' | 'state'>;

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
