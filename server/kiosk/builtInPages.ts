import { FaceplateError } from '../contract/errors.ts';
import { Backoff } from '../platform/async.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { BuiltInPageName } from './builtInPageContract.ts';
import type { BuiltInPage, OpenedPage } from './host.ts';

/** The window that a host opened for a page. */
interface PageWindow {
  close(): void | Promise<void>;
}

interface BuiltInPagesOptions<W> {
  /** Whether there is a kiosk page that a window can lie over or behind. */
  readonly isReady: () => boolean;
  /**
   * Opens a window; resolves when the page has begun.
   * @param onGone the window is gone by itself
   * @throws Error when the page cannot be shown; the window is gone then
   */
  readonly openWindow: (page: BuiltInPage, onGone: () => void) => Promise<W>;
  /** Puts the windows in their order again. */
  readonly settle: () => Promise<void>;
  /** A page that lay over the kiosk page is gone: the kiosk page has the screen and the keys again. */
  readonly uncover: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A page that is wanted. */
interface Entry<W> {
  readonly page: BuiltInPage;
  readonly backoff: Backoff;
  window: W | undefined;
  isOpening: boolean;
  cancelRetry: (() => void) | undefined;
}

/** Delays until an unseen page is tried again; it may only wait for the window above to go. */
const AGAIN = { firstMs: 500, maxMs: 4_000, peaceMs: 30_000 };

/**
 * The built-in pages that are open, in either host, beyond the life of one browser. An invisible one is opened again and
 * again while it is wanted; one above the kiosk page ends when it is gone.
 */
export class BuiltInPages<W extends PageWindow> {
  readonly #options: BuiltInPagesOptions<W>;
  readonly #entries = new Map<BuiltInPageName, Entry<W>>();

  constructor(options: BuiltInPagesOptions<W>) {
    this.#options = options;
  }

  /** @see KioskHost.openBuiltIn */
  async open(page: BuiltInPage): Promise<OpenedPage> {
    if (this.#entries.has(page.name)) throw new Error(`The page ${page.name} is open already.`);
    const backoff = new Backoff(this.#options.clock, AGAIN);
    const entry: Entry<W> = { page, backoff, window: undefined, isOpening: false, cancelRetry: undefined };
    this.#entries.set(page.name, entry);
    if (page.visible) await this.#openNow(entry);
    else await this.#show(entry);
    return { close: () => this.#close(entry) };
  }

  /** A new browser, or a new window of the kiosk page: invisible pages belong behind it. */
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

  async #openNow(entry: Entry<W>): Promise<void> {
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
  async #show(entry: Entry<W>): Promise<void> {
    entry.cancelRetry?.();
    entry.cancelRetry = undefined;
    const isThere = entry.window !== undefined || entry.isOpening;
    if (isThere || !this.#options.isReady() || !this.#isWanted(entry)) return;
    entry.isOpening = true;
    try {
      await this.#openWindow(entry);
    } catch (error) {
      this.#options.log.info({ err: error, page: entry.page.name }, 'kiosk: could not open a built-in page');
      this.#showLater(entry);
    } finally {
      entry.isOpening = false;
    }
  }

  async #openWindow(entry: Entry<W>): Promise<void> {
    if (!this.#options.isReady()) throw new Error('The kiosk browser is not running.');
    let opened: W | undefined;
    let isGone = false;
    opened = await this.#options.openWindow(entry.page, () => {
      isGone = true;
      if (entry.window === opened && opened !== undefined) this.#onGone(entry);
    });
    if (isGone) throw new Error('The page ended at once.');
    if (!this.#isWanted(entry)) {
      await opened.close();
      return;
    }
    entry.window = opened;
    await this.#options.settle();
  }

  #onGone(entry: Entry<W>): void {
    entry.window = undefined;
    if (!this.#isWanted(entry)) return;
    if (!entry.page.visible) {
      this.#showLater(entry);
      return;
    }
    this.#entries.delete(entry.page.name);
    this.#options
      .uncover()
      .catch((error: Error) => this.#options.log.debug({ err: error }, 'kiosk: the page is already closed'));
    entry.page.onGone?.();
  }

  #showLater(entry: Entry<W>): void {
    if (!this.#isWanted(entry)) return;
    entry.cancelRetry?.();
    entry.cancelRetry = this.#options.clock.after(entry.backoff.next(), () => void this.#show(entry));
  }

  async #close(entry: Entry<W>): Promise<void> {
    if (!this.#isWanted(entry)) return;
    this.#entries.delete(entry.page.name);
    entry.cancelRetry?.();
    await entry.window?.close();
    if (entry.page.visible) await this.#options.uncover();
  }

  #isWanted(entry: Entry<W>): boolean {
    return this.#entries.get(entry.page.name) === entry;
  }
}
