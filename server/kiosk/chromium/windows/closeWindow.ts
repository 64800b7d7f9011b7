import type { Clock } from '../../../platform/clock.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { withTimeout } from '../process/withTimeout.ts';

/** Delay before the browser is asked once more, in milliseconds. */
const CLOSE_MS = 500;

interface ClosingWindow {
  readonly targetId: string;
  readonly send: CdpSend;
  readonly clock: Clock;
  /** Resolves when the browser reports that the window is gone. */
  readonly gone: Promise<void>;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/**
 * Closes a window; resolves when it is gone. A browser that is asked just as the page begins to load may forget it (one
 * time in six, Chromium 156), so it is asked again.
 */
export async function closeWindow({ targetId, send, clock, gone, onLate }: ClosingWindow): Promise<void> {
  let isGone = false;
  const ended = gone.then(() => {
    isGone = true;
  });
  while (!isGone) {
    send('Target.closeTarget', { targetId }).catch(onLate);
    await withTimeout(clock, CLOSE_MS, ended);
  }
}
