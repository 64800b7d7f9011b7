import type { Clock } from '../../platform/clock.ts';

/** How long a write may go on for a caller who is gone, in milliseconds. */
const WRITE_GRACE_MS = 2_000;

/** Waits for `work`. When the caller is gone for 2 s and it still goes on, `giveUp` is called to end it. */
export async function withGrace<T>(
  caller: AbortSignal,
  clock: Clock,
  giveUp: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let cancel = (): void => undefined;
  const callerGone = () => {
    cancel = clock.after(WRITE_GRACE_MS, giveUp);
  };
  caller.addEventListener('abort', callerGone, { once: true });
  try {
    return await work();
  } finally {
    cancel();
    caller.removeEventListener('abort', callerGone);
  }
}
