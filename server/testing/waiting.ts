import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two checks of a condition, in milliseconds. */
const LOOK_EVERY_MS = 5;

interface UntilOptions {
  /** Time limit in milliseconds. */
  readonly limitMs?: number;
  /** Milliseconds between two checks; more when a check is expensive. */
  readonly everyMs?: number;
}

/** Waits until a condition holds. @throws Error when it does not within the limit, 20 seconds without one */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
  { limitMs = 20_000, everyMs = LOOK_EVERY_MS }: UntilOptions = {},
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
    await sleep(everyMs);
  }
}

/**
 * Waits as long as a fault needs to show, for tests that something does not happen: no condition can say that nothing
 * comes. On a busy machine such a test may pass too early; it never fails for that. If something does come, wait for it
 * with `until`; if the code under test takes a clock, give it a FakeClock.
 */
export async function timeToGoWrong(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}

/**
 * Lets time pass when time itself is the subject of the test: the moment at which something is killed, the pace of a slow
 * sender, a late sign of life. Later steps must not rely on anything else having happened by then.
 */
export async function letPass(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}
