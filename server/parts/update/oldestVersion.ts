import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../platform/errno.ts';
import { compareSemver, isSemver } from '../../platform/texts.ts';

/** What runs, on an installed panel: names its own version, and the oldest one that may come after it. */
export const MANIFEST = '/usr/lib/faceplate/package.json';
/** Where the root helper keeps the highest that was ever said. */
export const OLDEST_NOTE = 'oldest-version';

/** A line in a file of certificates, beside them: `oldest-version: 1.2.3`. */
const LINE = /^oldest-version:[ \t]*(.*?)[ \t]*\r?$/gim;

/** Who may say how old a version may be. */
export interface OldestSources {
  /** Text of the file of certificates; undefined: there is none. */
  readonly keys: string | undefined;
  readonly manifest: string;
  /** Folder with the note. */
  readonly state: string;
}

/** The versions that a file of certificates names as its oldest; each of them counts, so the highest does. */
export function oldestInKeys(pem: string): string[] {
  return [...pem.matchAll(LINE)].map(([, version]) => version!);
}

/** The oldest version that a panel takes: the highest that any source names. `0.0.0`: none names one. */
export async function oldestVersion({ keys, manifest, state }: OldestSources): Promise<string> {
  const own = JSON.parse((await readIfThere(manifest)) || '{}') as { oldestVersion?: unknown };
  const noted = (await readIfThere(join(state, OLDEST_NOTE))).trim();
  const said = [own.oldestVersion, noted, ...oldestInKeys(keys ?? '')];
  return said
    .filter((version): version is string => typeof version === 'string' && isSemver(version))
    .reduce((highest, version) => (compareSemver(version, highest) > 0 ? version : highest), '0.0.0');
}

/** Whether a version may not come any more. What is no version may not come either. */
export function isTooOld(version: string, oldest: string): boolean {
  return !isSemver(version) || compareSemver(version, oldest) < 0;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return '';
    throw error;
  }
}

const MAX_KEYS = 256 * 1024;

/** The certificates of the file `update.keys`, as PEM; undefined: no key is known. */
export async function knownKeys(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_KEYS) return undefined;
    const pem = await readFile(path, 'utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----') ? pem : undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
