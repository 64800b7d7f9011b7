import type { Clock } from '../../../platform/clock.ts';
import type { PageSize } from '../../host.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { askDocument } from './askDocument.ts';

/** Size of the screen, how much larger the window is than its page, and whether the page covers the screen. */
const MEASURE = `[screen.width, screen.height, outerWidth - innerWidth, outerHeight - innerHeight,
  innerWidth >= screen.width && innerHeight >= screen.height &&
  screenX <= 0 && screenY + outerHeight - innerHeight <= 0]`;
type Measures = [number, number, number, number, boolean];

/** How long a window manager may take to fill the screen, and the pause between two looks, in milliseconds. */
const LIMIT_MS = 600;
const LOOK_MS = 20;
/** How long a window may take to get the size that it is given, in milliseconds. */
const EVERY_MS = 100;
const ATTEMPTS = 5;

/**
 * Makes the page of a window fill the screen when no window manager does: without one, "full screen" only changes the
 * bars. So the window is made so large that its bars lie beyond the upper edge of the screen.
 * @returns the size of the screen
 */
export async function fillScreen(
  send: CdpSend,
  { targetId, sessionId }: { targetId: string; sessionId: string },
  clock: Clock,
): Promise<PageSize> {
  const measure = async () => {
    const question = { expression: MEASURE, returnByValue: true, silent: true };
    const { result } = await askDocument(send, clock, sessionId, question);
    return result.value as Measures;
  };
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  for (let waited = 0; waited < LIMIT_MS; waited += LOOK_MS) {
    const [width, height, , , isFilled] = await measure();
    if (isFilled) return { width, height };
    await wait(LOOK_MS);
  }
  const { windowId } = await send('Browser.getWindowForTarget', { targetId });
  // The size can only be changed in this state, in which the bars are back.
  await send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } });
  for (let attempt = 0; ; attempt++) {
    await wait(EVERY_MS);
    const [width, height, sides, bars, isFilled] = await measure();
    if (isFilled || attempt === ATTEMPTS) return { width, height };
    // One pixel more than the screen: Chromium's X11 code makes a window of exactly the screen's size one pixel
    // smaller.
    const bounds = { left: 0, top: -bars, width: width + sides + 1, height: height + bars + 1 };
    await send('Browser.setWindowBounds', { windowId, bounds });
  }
}

/** Size of the screen of a window. */
export async function measureScreen(send: CdpSend, sessionId: string, clock: Clock): Promise<PageSize> {
  const question = { expression: '[screen.width, screen.height]', returnByValue: true, silent: true };
  const { result } = await askDocument(send, clock, sessionId, question);
  const [width, height] = result.value as number[];
  return { width: width!, height: height! };
}
