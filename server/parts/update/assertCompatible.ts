import { FaceplateError } from '../../contract/errors.ts';
import { compareSemver, isSemver } from '../../platform/semver.ts';
import type { Bundle } from './driver.ts';

interface Wanted {
  readonly board: string;
  readonly installed: string;
  /** Whether an older version may be taken too. */
  readonly older: boolean;
  /** The oldest version that may be taken all the same. */
  readonly oldest: string;
}

/**
 * The version of a bundle that this panel may take.
 * @throws FaceplateError INVALID_REQUEST
 */
export function assertCompatible(bundle: Bundle, { board, installed, older, oldest }: Wanted): string {
  if (bundle.signature === 'none') throw refused('The bundle is not signed');
  if (bundle.signature !== 'known')
    throw refused('The bundle is signed by a key that this panel does not know');
  if (bundle.board !== board) throw refused(`The bundle is for ${bundle.board}, this panel is ${board}`);
  // What has no version that can be compared is none of ours.
  if (!isSemver(bundle.version)) throw refused('The bundle has no version');
  if (!older && compareSemver(bundle.version, installed) < 0)
    throw refused(`The bundle is older than ${installed}`);
  if (compareSemver(bundle.version, oldest) < 0)
    throw refused(`The bundle is older than ${oldest}, the oldest version that this panel takes`);
  return bundle.version;
}

function refused(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', `${sentence}. Nothing was changed.`);
}
