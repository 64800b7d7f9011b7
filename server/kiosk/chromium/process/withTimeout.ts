import type { Clock } from '../../../platform/clock.ts';
import type { GrowingLimit } from '../../recovery/growingLimit.ts';

/** The answer, or undefined when it takes longer than `ms`. @throws what the answer throws in time */
export function withTimeout<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const limit = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  return Promise.race([answer, limit]).finally(cancel);
}

/** Like `withTimeout`, with a limit that grows after a missing answer and shrinks again after a quick one. */
export async function withTimeLimit<T extends {}>(
  clock: Clock,
  limit: GrowingLimit,
  answer: Promise<T>,
): Promise<T | undefined> {
  const began = clock.now();
  const given = await withTimeout(clock, limit.ms, answer);
  if (given === undefined) limit.missed();
  else limit.met(clock.now() - began);
  return given;
}
