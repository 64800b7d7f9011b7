import type { Logger } from '../../../platform/log.ts';
import type { KioskPage } from './kioskPage.ts';

interface HomeNavigationOptions {
  /** The window that the page belongs in; undefined while there is none. */
  readonly page: () => KioskPage | undefined;
  /** Gives the keys to the top page. */
  readonly raise: () => Promise<void>;
  /** The page could not be sent for. */
  readonly onFailed: (why: Error) => void;
  readonly log: Logger;
}

/** Sends the kiosk's window to the page it has to show, and gives that the keys. */
export class HomeNavigation {
  /** Where the window belongs. */
  address = 'about:blank';
  readonly #options: HomeNavigationOptions;
  #navigations = 0;
  /** The page was sent home; what stood there before, such as the mark of a crash, holds the focus until it comes. */
  #wantsFocus = false;

  constructor(options: HomeNavigationOptions) {
    this.#options = options;
  }

  /** Errors on the way (error page, crash, closed window) are noticed elsewhere, and recovery follows. */
  async go(): Promise<void> {
    const { page, onFailed, log } = this.#options;
    const own = ++this.#navigations;
    try {
      this.#wantsFocus = true;
      await page()?.navigate(this.address);
      await this.#focus();
    } catch (error) {
      // The next navigation has ended this one.
      if (own !== this.#navigations) return;
      log.warn({ err: error }, 'kiosk: could not show the page');
      onFailed(error as Error);
    }
  }

  /** A page has come. */
  arrived(): void {
    if (this.#wantsFocus) void this.#focus();
    this.#wantsFocus = false;
  }

  /** Without this, Chromium gives the keys to a page it navigates only after a touch. */
  async #focus(): Promise<void> {
    const { raise, log } = this.#options;
    await raise().catch((error: Error) => log.debug({ err: error }, 'kiosk: the page is already closed'));
  }
}
