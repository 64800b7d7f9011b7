import { setTimeout as sleep } from 'node:timers/promises';

/** Between two looks at a condition, in milliseconds. */
const LOOK_EVERY_MS = 5;

interface UntilOptions {
  /** After how many milliseconds it never comes. */
  readonly limitMs?: number;
  /** Milliseconds between two looks; more where a look costs much. */
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
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
    await sleep(everyMs);
  }
}

/**
 * Waits as long as a fault needs to show, for tests that something does not happen: no condition can say that nothing
 * comes. Such a test passes too early on a busy machine at worst; it never fails for that. Where something does come, wait
 * for it by `until`; where the code under test takes a clock, give it a FakeClock.
 */
export async function timeToGoWrong(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}

/**
 * Lets time pass that is itself what the test is about: the moment at which something is killed, the pace of a slow sender,
 * a sign that comes late. What follows must not need that anything else has happened by then.
 */
export async function letPass(milliseconds: number): Promise<void> {
  await sleep(milliseconds);
}
