import type { Clock } from '../../../platform/clock.ts';
import type { GrowingLimit } from '../../recovery/growingLimit.ts';
import { withTimeout } from './withTimeout.ts';

/** How many times the browser is asked, and how long to wait after a refusal, in milliseconds. */
const ATTEMPTS = 5;
const PAUSE_MS = 300;

/**
 * Repeats a question that the browser refuses while one page replaces another ("Not attached to an active page"), or
 * that it forgets.
 * @param ask asks once
 * @param silence the sentence for a browser that never answers
 * @param limit of one question; it grows when none of them is answered
 * @throws what the last attempt threw
 */
export async function retry<T extends object>(
  clock: Clock,
  ask: () => Promise<T>,
  silence: string,
  limit: GrowingLimit,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const began = clock.now();
      const answer = await withTimeout(clock, limit.ms, ask());
      if (answer !== undefined) {
        limit.met(clock.now() - began);
        return answer;
      }
      if (attempt === ATTEMPTS) limit.missed();
      throw new Error(silence);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}
