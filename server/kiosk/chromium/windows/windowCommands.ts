import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import { mainThreadCpu } from '../../../platform/processes.ts';
import type { PageSize, PictureFormat, ScreenArea } from '../../host.ts';
import type { CpuTimes } from '../../recovery/heartbeat.ts';
import type { CdpCommands, CdpSend } from '../process/cdpProtocol.ts';

/** The ground of our own windows before their pages are drawn: the empty document is white without it. */
export const BLACK = { color: { r: 0, g: 0, b: 0 } };

/** What Chromium answers between two documents of one window (v8_inspector, `InjectedScript` and `RuntimeAgent`). */
const BETWEEN_DOCUMENTS =
  /Cannot find default execution context|Execution context was destroyed|Inspected target navigated/;

/** Pause between two questions, and how long a window may stay without a document, in milliseconds. */
const ASK_EVERY_MS = 20;
const ASK_LIMIT_MS = 5_000;

/**
 * Evaluates in the document of a window of ours. A new window changes its document once; a question at that moment is
 * asked again.
 * @throws CdpError when the window is gone, or has no document for 5 s
 */
export async function askDocument(
  send: CdpSend,
  clock: Clock,
  sessionId: string,
  question: CdpCommands['Runtime.evaluate']['params'],
): Promise<CdpCommands['Runtime.evaluate']['result']> {
  const began = clock.now();
  for (;;) {
    try {
      return await send('Runtime.evaluate', question, sessionId);
    } catch (error) {
      if (!BETWEEN_DOCUMENTS.test(String(error)) || clock.now() - began >= ASK_LIMIT_MS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(ASK_EVERY_MS, resolve));
  }
}

/**
 * Size of the screen, how much larger the window is than its page, how wide the page is, pixels of the screen for one of
 * the page, and whether the page covers the screen.
 */
const MEASURE = `[screen.width, screen.height, outerWidth - innerWidth, outerHeight - innerHeight, innerWidth, devicePixelRatio,
  innerWidth >= screen.width && innerHeight >= screen.height &&
  screenX <= 0 && screenY + outerHeight - innerHeight <= 0]`;
type Measures = [number, number, number, number, number, number, boolean];

/** How long a window manager may take to fill the screen, and the first and the longest pause between two looks, in milliseconds. */
const LIMIT_MS = 600;
const FIRST_LOOK_MS = 5;
const LOOK_MS = 20;
/** How long a window may take to get the size that it is given, in milliseconds. */
const EVERY_MS = 100;
const ATTEMPTS = 5;

/**
 * Makes the page of a window fill the screen when no window manager does: without one, "full screen" only changes the
 * bars. So the window is made so large that its bars lie beyond the upper edge of the screen.
 * @param fit gives the window a place on the screen, in its pixels: the browser makes none narrower than 500. False where
 *   nothing can
 * @returns the size of the screen
 */
export async function fillScreen(
  send: CdpSend,
  { targetId, sessionId }: { targetId: string; sessionId: string },
  clock: Clock,
  fit: (area: ScreenArea) => Promise<boolean>,
): Promise<PageSize> {
  const measure = async () => {
    const question = { expression: MEASURE, returnByValue: true, silent: true };
    const { result } = await askDocument(send, clock, sessionId, question);
    return result.value as Measures;
  };
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const filled = async ([width, height, , bars, pageWidth, scale]: Measures) => {
    const area = { x: 0, y: -bars * scale, width: width * scale, height: (height + bars) * scale };
    // The browser may name its smallest size again in between, which a window manager heeds.
    for (let attempt = 0; pageWidth - width > 1 && attempt < ATTEMPTS; attempt++) {
      if (!(await fit(area))) break;
      await wait(EVERY_MS);
      pageWidth = (await measure())[4];
    }
    return { width, height };
  };
  for (let waited = 0, pause = FIRST_LOOK_MS; waited < LIMIT_MS; pause = Math.min(pause * 2, LOOK_MS)) {
    const measures = await measure();
    if (measures.at(-1)) return filled(measures);
    await wait(pause);
    waited += pause;
  }
  const { windowId } = await send('Browser.getWindowForTarget', { targetId });
  // The size can only be changed in this state, in which the bars are back.
  await send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } });
  for (let attempt = 0; ; attempt++) {
    await wait(EVERY_MS);
    const measures = await measure();
    const [width, height, sides, bars, , scale, isFilled] = measures;
    if (isFilled) return filled(measures);
    if (attempt === ATTEMPTS) return { width, height };
    // Chromium's X11 code makes a window of exactly the screen's size one pixel smaller, and sizes that are no whole
    // pixels are rounded: one more.
    const more = bars > 0 && Number.isInteger(scale) ? 0 : 1;
    const bounds = { left: 0, top: -bars, width: width + sides + more, height: height + bars + more };
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

/** How long the browser may take to list its processes, in milliseconds. */
const ANSWER_MS = 1_000;

/**
 * CPU time of the browser's renderers by process id. The protocol does not say which of them runs a page.
 * @returns undefined when the browser does not report it
 */
export async function rendererCpu(send: CdpSend, clock: Clock): Promise<CpuTimes | undefined> {
  const asked = send('SystemInfo.getProcessInfo', {}).catch(() => undefined);
  const processes = (await withTimeout(clock, ANSWER_MS, asked))?.processInfo;
  if (processes === undefined) return undefined;
  const renderers = processes.filter(({ type }) => type === 'renderer');
  return new Map(renderers.map(({ id, cpuTime }) => [id, mainThreadCpu(id) ?? cpuTime * 1_000]));
}

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

/** Text stays readable. */
const JPEG_QUALITY = 80;

/** What `Page.captureScreenshot` is asked for; PNG without a format. */
export function captureOf(format: PictureFormat = 'png') {
  return { format, ...(format === 'jpeg' && { quality: JPEG_QUALITY }), optimizeForSpeed: true };
}

/** The shortest time between two raises above a window that raised itself, in milliseconds. */
const RAISE_EVERY_MS = 200;

/**
 * Limits how often a covered window is raised: a page can raise its own window, and two windows must not fight faster
 * than this.
 */
export class RaiseLimit {
  readonly #clock: Clock;
  readonly #raise: () => void;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** @param raise puts the window on top, and reports it by `raised` */
  constructor(clock: Clock, raise: () => void) {
    this.#clock = clock;
    this.#raise = raise;
  }

  /** The window is raised now. */
  raised(): void {
    this.#raisedAt = this.#clock.now();
  }

  /** The window is covered: raises it as soon as it may. */
  soon(): void {
    if (this.#cancel !== undefined) return;
    const wait = Math.max(0, this.#raisedAt + RAISE_EVERY_MS - this.#clock.now());
    this.#cancel = this.#clock.after(wait, () => {
      this.#cancel = undefined;
      this.#raise();
    });
  }

  /** The window is gone. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
