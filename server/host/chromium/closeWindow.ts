import type { Clock } from '../clock.ts';
import type { CdpSend } from './cdpProtocol.ts';
import { within } from './within.ts';

/** Until the browser is asked once more, in milliseconds. */
const CLOSE_MS = 500;

interface ClosingWindow {
  readonly targetId: string;
  readonly send: CdpSend;
  readonly clock: Clock;
  /** Resolves when the browser tells that the window is gone. */
  readonly gone: Promise<void>;
  /** A command failed because its target is gone already. */
  readonly onLate: (error: Error) => void;
}

/**
 * Closes a window; resolves when it is gone. A browser that is asked just as the page begins may forget it (one time in
 * six, Chromium 156), so it is asked again.
 */
export async function closeWindow({ targetId, send, clock, gone, onLate }: ClosingWindow): Promise<void> {
  let isGone = false;
  const ended = gone.then(() => {
    isGone = true;
  });
  while (!isGone) {
    send('Target.closeTarget', { targetId }).catch(onLate);
    await within(clock, CLOSE_MS, ended);
  }
}
