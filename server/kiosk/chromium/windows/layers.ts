import { Backoff } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { LayerName } from '../../builtInPageContract.ts';
import type { Layer, LayerPage, ScreenArea } from '../../host.ts';
import { LAYERS, type WindowStack } from '../../windowStack.ts';
import type { Browser } from '../browser.ts';
import type { BuiltInWindow } from './builtInWindow.ts';
import type { KioskPage } from './kioskPage.ts';

interface LayersOptions {
  /** The browser that runs now. */
  readonly browser: () => Browser | undefined;
  readonly headless: boolean;
  /** What places the windows now; undefined for the browser itself. */
  readonly stack: () => WindowStack | undefined;
  /** Resolves once the kiosk page has drawn, or was given up. */
  readonly pageDrawn: () => Promise<void>;
  /** Decides anew which window hears input. */
  readonly settle: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A layer that is open, over the life of its windows. */
interface Entry {
  readonly page: LayerPage;
  readonly backoff: Backoff;
  window: BuiltInWindow | undefined;
  isOpening: boolean;
  /** Opens it now, where it waits for the page. */
  hurry: () => void;
  shown: { readonly area: ScreenArea | 'screen'; readonly focus: boolean } | undefined;
  cancelRetry: () => void;
}

/** How long the window system may take to give the keys back, in milliseconds. */
const FOCUS_BACK_MS = 1_000;
/** The page has so long for itself after it has drawn, in milliseconds, before layers open that are not needed yet. */
const PAGE_FIRST_MS = 3_000;
/** Delays until a layer that did not open is tried again. */
const AGAIN = { firstMs: 500, maxMs: 30_000, peaceMs: 30_000 };

/** The layers of a host, each in the browser that runs now. */
export class ChromiumLayers {
  readonly #options: LayersOptions;
  readonly #entries = new Map<LayerName, Entry>();
  /** Windows change one after the other. */
  #work: Promise<unknown> = Promise.resolve();
  #cancelFocus = () => {};

  constructor(options: LayersOptions) {
    this.#options = options;
  }

  /** Whether a layer fills the screen, so that nothing below hears input. */
  get isCovering(): boolean {
    return [...this.#entries.values()].some(({ shown }) => shown?.area === 'screen');
  }

  /** The layer that fills the screen. */
  get covering(): BuiltInWindow | undefined {
    return [...this.#entries.values()].find(({ shown }) => shown?.area === 'screen')?.window;
  }

  /** @see KioskHost.openLayer */
  open(page: LayerPage): Layer {
    if (this.#entries.has(page.name)) throw new Error(`The layer ${page.name} is open already.`);
    const backoff = new Backoff(this.#options.clock, AGAIN);
    const entry: Entry = {
      page,
      backoff,
      window: undefined,
      isOpening: false,
      hurry: () => {},
      shown: undefined,
      cancelRetry: () => {},
    };
    this.#entries.set(page.name, entry);
    void this.#openAfterPage(entry);
    return {
      post: (json) => entry.window?.post(json),
      hurry: () => entry.hurry(),
      show: (area, focus) =>
        this.#next(async () => {
          if (!this.#isWanted(entry)) return;
          entry.shown = { area, focus };
          entry.hurry();
          await this.#place(entry);
          await this.raise();
          await this.#options.settle();
        }),
      hide: () => this.#next(() => this.#hide(entry)),
      close: () =>
        this.#next(async () => {
          await this.#hide(entry);
          if (this.#isWanted(entry)) this.#entries.delete(page.name);
          entry.hurry();
          entry.cancelRetry();
          await entry.window?.close();
        }),
    };
  }

  /** A new browser, or a new window of the kiosk page: the layers come back, hidden. */
  async restore(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#openAfterPage(entry)));
  }

  /** Puts the layers that show above everything, in their order. */
  async raise(): Promise<void> {
    if (this.#options.headless || this.#options.stack() !== undefined) return;
    for (const name of LAYERS) {
      const entry = this.#entries.get(name);
      if (entry?.shown !== undefined) await entry.window?.raise();
    }
  }

  /** The host stops. */
  forget(): void {
    for (const entry of this.#entries.values()) entry.cancelRetry();
    this.#cancelFocus();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { hurry } of entries) hurry();
  }

  async #hide(entry: Entry): Promise<void> {
    await entry.window?.released();
    if (entry.shown === undefined) return;
    entry.shown = undefined;
    const stack = this.#options.stack();
    if (stack !== undefined) await stack.hide(entry.page.name);
    await this.#options.settle();
    const browser = this.#options.browser();
    if (this.#options.headless || stack !== undefined) return;
    await (browser?.dark ?? browser?.upper ?? browser?.page)?.raise();
    await this.raise();
  }

  async #place({ page, window, shown }: Entry): Promise<void> {
    if (window === undefined || shown === undefined) return;
    const stack = this.#options.stack();
    if (stack !== undefined) return stack.show(page.name, shown.area, shown.focus);
    if (!this.#options.headless) return;
    await window.resize(shown.area === 'screen' ? null : shown.area);
  }

  /**
   * The page comes first: a window that opens beside it takes the processor from it. A layer that has something to show
   * opens at once. So does each where nothing places windows: there one that opens covers the page and takes the keys for a
   * moment, which no one misses while nothing is on the screen.
   */
  async #openAfterPage(entry: Entry): Promise<void> {
    const { headless, stack, pageDrawn, clock } = this.#options;
    if (entry.shown === undefined && (headless || stack() !== undefined)) {
      const now = Promise.withResolvers<void>();
      let cancel: (() => void) | undefined = () => {};
      entry.hurry = () => {
        cancel?.();
        cancel = undefined;
        now.resolve();
      };
      void pageDrawn().then(() => {
        if (cancel !== undefined) cancel = clock.after(PAGE_FIRST_MS, now.resolve);
      });
      await now.promise;
    }
    if (this.#isWanted(entry)) await this.#openWindow(entry);
  }

  async #openWindow(entry: Entry): Promise<void> {
    entry.cancelRetry();
    const { browser, log, clock } = this.#options;
    const current = browser();
    const isThere = entry.window !== undefined || entry.isOpening;
    if (isThere || current?.page === undefined || !this.#isWanted(entry)) return;
    entry.isOpening = true;
    const hasFocus = await this.#keepFocus(current.page);
    // Its page may be ready before its window is ours.
    const opened = Promise.withResolvers<void>();
    opened.promise.catch(() => {});
    try {
      let isGone = false;
      let window: BuiltInWindow | undefined;
      window = await current.openLayer(entry.page, {
        onReady: () => void opened.promise.then(() => this.#isWanted(entry) && entry.page.onReady()),
        onLost: () => this.#hideLost(entry),
        onGone: () => {
          isGone = true;
          if (window === undefined || entry.window !== window) return;
          entry.window = undefined;
          this.#hideLost(entry);
          void this.#openWindow(entry);
        },
      });
      if (isGone) throw new Error('The layer ended at once.');
      if (!this.#isWanted(entry)) return await window.close();
      entry.window = window;
      // It opened above the page, and with the keys.
      if (!this.#options.headless && this.#options.stack() === undefined)
        await (current.dark ?? current.upper ?? current.page)?.raise();
      opened.resolve();
    } catch (error) {
      log.info({ err: error, page: entry.page.name }, 'kiosk: could not open a layer');
      if (this.#isWanted(entry))
        entry.cancelRetry = clock.after(entry.backoff.next(), () => void this.#openWindow(entry));
    } finally {
      entry.isOpening = false;
      hasFocus();
    }
  }

  /** A window that opens on a screen takes the keys for a moment. @returns call it once the page has them again */
  async #keepFocus(page: KioskPage): Promise<() => void> {
    const { headless, clock } = this.#options;
    if (headless) return () => {};
    await page.keepFocus(true).catch(() => {});
    this.#cancelFocus();
    return () => {
      this.#cancelFocus = clock.after(FOCUS_BACK_MS, () => {
        // While the keys show, the page keeps its focus anyway.
        if (this.#entries.get('keys')?.shown === undefined) page.keepFocus(false).catch(() => {});
      });
    };
  }

  #hideLost(entry: Entry): void {
    this.#next(() => this.#hide(entry)).catch(() => {});
  }

  #isWanted(entry: Entry): boolean {
    return this.#entries.get(entry.page.name) === entry;
  }

  #next(act: () => Promise<void>): Promise<void> {
    const done = this.#work.then(act);
    this.#work = done.catch((error: Error) =>
      this.#options.log.debug({ err: error }, 'kiosk: a layer is already closed'),
    );
    return done;
  }
}
