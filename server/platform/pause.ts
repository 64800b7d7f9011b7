import type { Clock } from './clock.ts';

/** Resolves after so many milliseconds, or when the signal aborts; at once where it has. */
export function pause(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
