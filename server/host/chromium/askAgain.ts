import type { Clock } from '../clock.ts';
import { within } from './within.ts';

/** How often the browser is asked, how long it may take, and how long to wait after a refusal, in milliseconds. */
const ATTEMPTS = 5;
const LIMIT_MS = 2_500;
const PAUSE_MS = 300;

/**
 * Asks for what the browser refuses while one page takes the place of another ("Not attached to an active page"), or
 * forgets that it was asked.
 * @param ask asks once
 * @param silence the sentence for a browser that never answers
 * @throws what the last attempt threw
 */
export async function askAgain<T extends object>(
  clock: Clock,
  ask: () => Promise<T>,
  silence: string,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await within(clock, LIMIT_MS, ask());
      if (answer !== undefined) return answer;
      throw new Error(silence);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}
