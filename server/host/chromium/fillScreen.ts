import type { Clock } from '../clock.ts';
import type { CdpSend } from './cdpProtocol.ts';

/** Size of the screen, what the window adds to its page, and whether the page covers the screen. */
const MEASURE = `[screen.width, screen.height, outerWidth - innerWidth, outerHeight - innerHeight,
  innerWidth >= screen.width && innerHeight >= screen.height &&
  screenX <= 0 && screenY + outerHeight - innerHeight <= 0]`;
type Measures = [number, number, number, number, boolean];

/** How long a window manager may take to fill the screen, in milliseconds. */
const LIMIT_MS = 600;
const EVERY_MS = 100;
const ATTEMPTS = 5;

/**
 * Makes the page of a window fill the screen where nobody else does: without a window manager "full screen" changes
 * nothing but the bars, so the window is made so large that its bars lie beyond the upper edge.
 */
export async function fillScreen(
  send: CdpSend,
  { targetId, sessionId }: { targetId: string; sessionId: string },
  clock: Clock,
): Promise<void> {
  const measure = async () => {
    const question = { expression: MEASURE, returnByValue: true, silent: true };
    const { result } = await send('Runtime.evaluate', question, sessionId);
    return result.value as Measures;
  };
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  for (let waited = 0; waited < LIMIT_MS; waited += EVERY_MS) {
    if ((await measure())[4]) return;
    await wait(EVERY_MS);
  }
  const { windowId } = await send('Browser.getWindowForTarget', { targetId });
  // The size can be changed in this state only; the bars come back with it.
  await send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await wait(EVERY_MS);
    const [width, height, sides, bars, isFilled] = await measure();
    if (isFilled) return;
    // One pixel more than the screen: a window of exactly its size is made smaller by one (Chromium's X11 code).
    const bounds = { left: 0, top: -bars, width: width + sides + 1, height: height + bars + 1 };
    await send('Browser.setWindowBounds', { windowId, bounds });
  }
}
