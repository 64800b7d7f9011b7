import type { Clock } from './clock.ts';

/**
 * What the work gives. The work itself goes on when it is late.
 * @throws Error when it takes longer than `ms` milliseconds; what the work throws in time
 */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error('no answer in time')));
  });
  return Promise.race([work, late]).finally(cancel);
}
