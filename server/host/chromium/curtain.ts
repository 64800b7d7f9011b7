import type { Logger } from '../../observe/log.ts';
import type { Browser } from './browser.ts';

interface CurtainOptions {
  /** The browser that runs now. */
  readonly browser: () => Browser | undefined;
  readonly log: Logger;
}

/**
 * What lies over what on the screen, and which of it hears input: the dark window of a sleeping panel over a page of our
 * own over the kiosk page. Keeps them so whatever happens to the browser.
 */
export class Curtain {
  readonly #options: CurtainOptions;
  #onTouch: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: CurtainOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#onTouch !== undefined;
  }

  /** Darkens the screen; `onTouch` is called once, at the first touch. */
  close(onTouch: () => void): Promise<void> {
    let isFirst = true;
    this.#onTouch = () => {
      if (isFirst) onTouch();
      isFirst = false;
    };
    return this.settle();
  }

  /** Shows the page. */
  open(): Promise<void> {
    this.#onTouch = undefined;
    return this.settle();
  }

  /** The host stops: whatever comes next begins with a lit screen. */
  forget(): void {
    this.#onTouch = undefined;
  }

  /** Brings the screen to what it should be: after every change of mind, new window and restart. One at a time. */
  settle(): Promise<void> {
    this.#work = this.#work.then(() => this.#settle());
    return this.#work;
  }

  async #settle(): Promise<void> {
    const browser = this.#options.browser();
    if (browser === undefined) return;
    try {
      if (this.isClosed) await this.#darken(browser);
      else await this.#lighten(browser);
    } catch (error) {
      this.#options.log.error({ err: error }, 'the screen could not be darkened or lit');
      // Its end is noticed, and the next browser starts as it should be.
      browser.kill();
    }
  }

  async #darken(browser: Browser): Promise<void> {
    // The second line: should the page's window come to the top, it hears nothing.
    await browser.page?.ignoreInput(true);
    await browser.upper?.ignoreInput(true);
    if (browser.dark !== undefined) return browser.dark.raise();
    await browser.openDark({
      onTouch: () => this.#onTouch?.(),
      onGone: () => this.isClosed && void this.settle(),
    });
  }

  async #lighten(browser: Browser): Promise<void> {
    await browser.dark?.released();
    if (this.isClosed) return;
    await browser.dark?.close();
    await browser.upper?.ignoreInput(false);
    await browser.page?.ignoreInput(browser.upper !== undefined);
  }
}
