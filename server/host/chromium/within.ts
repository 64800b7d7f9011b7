import type { Clock } from '../clock.ts';

/** The answer, or undefined when it has not come after `ms`. @throws what the answer throws in time */
export function within<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const limit = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  return Promise.race([answer, limit]).finally(cancel);
}
