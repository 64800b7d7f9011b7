import { FaceplateError } from '../../contract/errors.ts';
import type { OwnPageName } from '../../contract/ownPage.ts';
import type { Logger } from '../../observe/log.ts';
import { Backoff } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import type { OpenedPage, OwnPage } from '../host.ts';
import type { Browser } from './browser.ts';
import type { OwnWindow } from './ownWindow.ts';

interface OwnPagesOptions {
  /** The browser that runs now. */
  readonly browser: () => Browser | undefined;
  readonly isAsleep: () => boolean;
  /** Puts the windows in their order again. */
  readonly settle: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A page that is wanted. */
interface Entry {
  readonly page: OwnPage;
  readonly backoff: Backoff;
  window: OwnWindow | undefined;
  isOpening: boolean;
  cancelRetry: (() => void) | undefined;
}

/** Delays until an unseen page is tried again; it may only wait for the window above to go. */
const AGAIN = { firstMs: 500, maxMs: 4_000, peaceMs: 30_000 };

/** The pages of Faceplate's own that are open, beyond the life of one browser. */
export class OwnPages {
  readonly #options: OwnPagesOptions;
  readonly #entries = new Map<OwnPageName, Entry>();

  constructor(options: OwnPagesOptions) {
    this.#options = options;
  }

  /** @see KioskHost.openOwn */
  async open(page: OwnPage): Promise<OpenedPage> {
    if (this.#entries.has(page.name)) throw new Error(`The page ${page.name} is open already.`);
    const backoff = new Backoff(this.#options.clock, AGAIN);
    const entry: Entry = { page, backoff, window: undefined, isOpening: false, cancelRetry: undefined };
    this.#entries.set(page.name, entry);
    if (page.visible) await this.#openNow(entry);
    else await this.#show(entry);
    return { close: () => this.#close(entry) };
  }

  /** A new browser, or a new window of the kiosk page: pages that nobody sees belong behind it. */
  async restore(): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry.page.visible) continue;
      const old = entry.window;
      entry.window = undefined;
      await old?.close();
      await this.#show(entry);
    }
  }

  /** The host stops. */
  forget(): void {
    for (const entry of this.#entries.values()) entry.cancelRetry?.();
    this.#entries.clear();
  }

  async #openNow(entry: Entry): Promise<void> {
    try {
      await this.#openWindow(entry);
    } catch (error) {
      this.#entries.delete(entry.page.name);
      await this.#options.settle();
      const sentence = 'The kiosk browser cannot show the page now. Try again in a few seconds.';
      throw new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
    }
  }

  /** Without a browser it is shown as soon as there is one. */
  async #show(entry: Entry): Promise<void> {
    entry.cancelRetry?.();
    entry.cancelRetry = undefined;
    const isThere = entry.window !== undefined || entry.isOpening;
    if (isThere || this.#options.browser()?.page === undefined || !this.#isWanted(entry)) return;
    entry.isOpening = true;
    try {
      await this.#openWindow(entry);
    } catch (error) {
      this.#options.log.info({ err: error, page: entry.page.name }, 'page of our own did not open');
      this.#showLater(entry);
    } finally {
      entry.isOpening = false;
    }
  }

  async #openWindow(entry: Entry): Promise<void> {
    const browser = this.#options.browser();
    if (browser?.page === undefined) throw new Error('The kiosk browser is not running.');
    let opened: OwnWindow | undefined;
    let isGone = false;
    opened = await browser.openOwn(entry.page, {
      mayRaise: () => !this.#options.isAsleep(),
      onGone: () => {
        isGone = true;
        if (entry.window === opened && opened !== undefined) this.#onGone(entry);
      },
    });
    if (isGone) throw new Error('The page ended at once.');
    if (!this.#isWanted(entry)) return opened.close();
    entry.window = opened;
    await this.#options.settle();
  }

  #onGone(entry: Entry): void {
    entry.window = undefined;
    if (!this.#isWanted(entry)) return;
    if (!entry.page.visible) {
      this.#showLater(entry);
      return;
    }
    this.#entries.delete(entry.page.name);
    this.#uncover().catch((error: Error) => this.#options.log.debug({ err: error }, 'kiosk page is gone'));
    entry.page.onGone?.();
  }

  #showLater(entry: Entry): void {
    if (!this.#isWanted(entry)) return;
    entry.cancelRetry?.();
    entry.cancelRetry = this.#options.clock.after(entry.backoff.next(), () => void this.#show(entry));
  }

  async #close(entry: Entry): Promise<void> {
    if (!this.#isWanted(entry)) return;
    this.#entries.delete(entry.page.name);
    entry.cancelRetry?.();
    await entry.window?.close();
    if (entry.page.visible) await this.#uncover();
  }

  /** The kiosk page has the screen and the keys again. */
  async #uncover(): Promise<void> {
    await this.#options.settle();
    if (!this.#options.isAsleep()) await this.#options.browser()?.page?.raise();
  }

  #isWanted(entry: Entry): boolean {
    return this.#entries.get(entry.page.name) === entry;
  }
}
