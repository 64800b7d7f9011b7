import { InTurn } from '../../../platform/async.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Browser } from '../browser.ts';

interface BlankerOptions {
  /** The browser that runs now. */
  readonly browser: () => Browser | undefined;
  /** Whether a layer fills the screen. */
  readonly isCovered: () => boolean;
  readonly log: Logger;
}

/**
 * Decides which window is on top and which gets input: the blank window of a sleeping panel over a built-in page
 * over the kiosk page. Keeps this order whatever happens to the browser.
 */
export class ScreenBlanker {
  readonly #options: BlankerOptions;
  #onTouch: (() => void) | undefined;
  readonly #work = new InTurn();

  constructor(options: BlankerOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#onTouch !== undefined;
  }

  /** Darkens the screen; calls `onTouch` once, at the first touch. */
  close(onTouch: () => void): Promise<void> {
    let isFirst = true;
    this.#onTouch = () => {
      if (isFirst) onTouch();
      isFirst = false;
    };
    return this.settle();
  }

  /** As if a person had touched the dark screen. */
  touch(): void {
    this.#onTouch?.();
  }

  /** Shows the page. */
  open(): Promise<void> {
    this.#onTouch = undefined;
    return this.settle();
  }

  /** The host stops: the next start begins with a lit screen. */
  forget(): void {
    this.#onTouch = undefined;
  }

  /** Brings the screen to the state it should have: after every new request, new window and restart. One at a time. */
  settle(): Promise<void> {
    return this.#work.run(() => this.#settle());
  }

  async #settle(): Promise<void> {
    const browser = this.#options.browser();
    if (browser === undefined) return;
    try {
      if (this.isClosed) await this.#darken(browser);
      else await this.#lighten(browser);
    } catch (error) {
      this.#options.log.error({ err: error }, 'kiosk: could not darken or light the screen');
      // The host notices the browser's end, and the next browser starts in the right state.
      browser.kill();
    }
  }

  async #darken(browser: Browser): Promise<void> {
    // The second defence: if the page's window comes to the top, it hears nothing.
    await browser.page?.ignoreInput(true);
    await browser.upper?.ignoreInput(true);
    if (browser.dark !== undefined) return browser.dark.raise();
    await browser.openBlank({
      onTouch: () => this.#onTouch?.(),
      onGone: () => this.isClosed && void this.settle(),
    });
  }

  async #lighten(browser: Browser): Promise<void> {
    await browser.dark?.released();
    if (this.isClosed) return;
    await browser.dark?.close();
    const isCovered = this.#options.isCovered();
    await browser.upper?.ignoreInput(isCovered);
    await browser.page?.ignoreInput(isCovered || browser.upper !== undefined);
  }
}
