import { readFile } from 'node:fs/promises';
import { errnoError, errnoOf } from '../../platform/errno.ts';

/**
 * The number in an attribute of /sys.
 * @returns undefined where there is none
 * @throws an errno exception: EIO (the sensor does not answer), EINVAL (no number)
 */
export async function readNumber(path: string): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw errnoError('EINVAL', `${path} holds no number`);
  return value;
}
