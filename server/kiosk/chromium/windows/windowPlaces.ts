import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { PageSize, ScreenArea } from '../../host.ts';
import type { StackedWindow, WindowStack } from '../../windowStack.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { EMPTY_PAGE } from '../process/commandLine.ts';
import type { OpenedWindow, TargetTracker } from './targetTracker.ts';
import { askDocument, fillScreen, measureScreen } from './windowCommands.ts';

/** The empty page of the window that opens the others. */
export const ROOT_PAGE = 'about:blank#root';

/** How often, and with what pause in milliseconds, the app's document is waited for. */
const ROOT_ATTEMPTS = 500;
const ROOT_EVERY_MS = 10;

interface WindowPlacesOptions {
  readonly send: CdpSend;
  readonly targets: TargetTracker;
  /** What places the windows; undefined for the browser itself. */
  readonly stack: WindowStack | undefined;
  readonly onLate: (error: Error) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the windows of one run of the browser, and gives them their place on the screen. */
export class WindowPlaces {
  readonly #options: WindowPlacesOptions;
  /** Where windows are bare: the unseen one of ours that opens all others. */
  #root: OpenedWindow | undefined;

  constructor(options: WindowPlacesOptions) {
    this.#options = options;
  }

  isRoot(sessionId: string): boolean {
    return sessionId === this.#root?.sessionId;
  }

  /** The browser has ended. */
  forget(): void {
    this.#root = undefined;
  }

  /** Whether each window is bare, and opened by one of ours. */
  get opensApps(): boolean {
    return this.#options.stack?.windows === 'apps';
  }

  /**
   * What a window shows before its page. about:blank is white until our ground for it is set, which a busy panel may show;
   * bare windows are out of sight by then.
   */
  get emptyPage(): string {
    return this.opensApps ? 'about:blank' : EMPTY_PAGE;
  }

  /** Opens a window of ours on `url`. */
  async open(url: string): Promise<OpenedWindow> {
    if (!this.opensApps) return this.#options.targets.open(url, true);
    if (this.#root === undefined) throw new Error('The browser can open no window.');
    const target = await this.#options.targets.openBare(this.#root);
    // It is answered once the window runs.
    if (url !== 'about:blank')
      this.#options.send('Page.navigate', { url }, target.sessionId).catch(this.#options.onLate);
    return target;
  }

  /** Opens the unseen window that opens all others, from the kiosk page's window while no page is in it yet. */
  async openRoot(page: OpenedWindow): Promise<void> {
    const { clock, send, targets } = this.#options;
    // What the empty document before the app's own one opens is lost with it.
    for (let asked = 0; asked < ROOT_ATTEMPTS; asked++) {
      const question = { expression: 'location.protocol', returnByValue: true, silent: true };
      const answer = await send('Runtime.evaluate', question, page.sessionId).catch(() => undefined);
      if (answer?.result.value === 'data:') break;
      await new Promise<void>((resolve) => clock.after(ROOT_EVERY_MS, resolve));
    }
    const root = await targets.openBare(page, ROOT_PAGE);
    await send('Runtime.runIfWaitingForDebugger', {}, root.sessionId);
    this.#root = root;
  }

  /** Gives a window of ours, whose document is empty or ours, to what places it. */
  async adopt(window: StackedWindow, { sessionId }: OpenedWindow): Promise<void> {
    const { stack } = this.#options;
    if (stack === undefined || (stack.windows === 'tabs' && (window === 'page' || window === 'settings')))
      return;
    const title = randomBytes(16).toString('hex');
    const expression = `void (document.title = '${title}')`;
    await askDocument(this.#options.send, this.#options.clock, sessionId, { expression, silent: true });
    await stack.adopt(window, title);
  }

  /** Makes a window fill the screen where nothing places it. @returns the size of the screen */
  async fill(target: OpenedWindow): Promise<PageSize> {
    const { send, clock } = this.#options;
    if (this.opensApps) return measureScreen(send, target.sessionId, clock);
    return fillScreen(send, target, clock, (area) => this.#fit(target, area));
  }

  /** Gives a window a place that the browser itself refuses. @returns false where nothing can */
  async #fit({ sessionId }: OpenedWindow, area: ScreenArea): Promise<boolean> {
    const { stack, clock, log } = this.#options;
    if (stack?.fit === undefined) return false;
    const ask = (expression: string) =>
      askDocument(this.#options.send, clock, sessionId, { expression, returnByValue: true, silent: true });
    const title = randomBytes(16).toString('hex');
    const { result: before } = await ask(`[document.title, document.title = '${title}'][0]`);
    await stack
      .fit(title, area)
      .catch((err: unknown) => log.debug({ err }, 'kiosk: the window is larger than the screen'));
    await ask(`document.title === '${title}' && (document.title = ${JSON.stringify(before.value ?? '')})`);
    return true;
  }
}
