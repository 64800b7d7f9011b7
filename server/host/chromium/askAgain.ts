import type { Clock } from '../clock.ts';

/** How often the browser is asked, and how long to wait after a refusal, in milliseconds. */
const ATTEMPTS = 5;
const PAUSE_MS = 300;

/**
 * Asks for what the browser refuses while one page takes the place of another ("Not attached to an active page").
 * @param ask asks once
 * @throws what the last attempt threw
 */
export async function askAgain<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}
