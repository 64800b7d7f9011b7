import { readFile, stat } from 'node:fs/promises';
import { errnoOf } from '../../platform/errno.ts';

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
