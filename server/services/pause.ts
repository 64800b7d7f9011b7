import type { Clock } from '../platform/clock.ts';

/** Waits, and no longer than until the signal. @throws the reason of the signal */
export async function pause(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(milliseconds, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  cancel();
  signal.throwIfAborted();
}
