import type { Clock } from '../clock.ts';
import { within } from './within.ts';

/** How long a picture may take and how long to wait after a refusal, in milliseconds; how often it is asked for. */
const PICTURE_MS = 2_500;
const PICTURE_PAUSE_MS = 300;
const PICTURE_ATTEMPTS = 5;

/**
 * A picture of a page, also while one page takes the place of another: then the browser refuses it, or forgets that it
 * was asked.
 * @param capture asks the browser once
 * @throws Error when there is none after some attempts
 */
export async function takePicture(
  capture: () => Promise<{ readonly data: string }>,
  clock: Clock,
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    const answer = await within(clock, PICTURE_MS, capture()).catch((error: unknown) => {
      if (attempt === PICTURE_ATTEMPTS) throw error;
      return new Promise<undefined>((resolve) => clock.after(PICTURE_PAUSE_MS, () => resolve(undefined)));
    });
    if (answer !== undefined) return Buffer.from(answer.data, 'base64');
    if (attempt === PICTURE_ATTEMPTS) throw new Error('The browser gives no picture of its page.');
  }
}
