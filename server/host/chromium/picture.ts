import type { Clock } from '../clock.ts';
import { askAgain } from './askAgain.ts';
import { within } from './within.ts';

/** How long a picture may take, in milliseconds. */
const PICTURE_MS = 2_500;

/**
 * A picture of a page, also while one page takes the place of another: then the browser refuses it, or forgets that it
 * was asked.
 * @param capture asks the browser once
 * @throws Error when there is none after some attempts
 */
export function takePicture(
  capture: () => Promise<{ readonly data: string }>,
  clock: Clock,
): Promise<Uint8Array> {
  return askAgain(clock, async () => {
    const answer = await within(clock, PICTURE_MS, capture());
    if (answer === undefined) throw new Error('The browser gives no picture of its page.');
    return Buffer.from(answer.data, 'base64');
  });
}
