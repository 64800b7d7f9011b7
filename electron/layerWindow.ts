import type { Layer, LayerPage, PageSize, PictureFormat, ScreenArea } from '../server/kiosk/host.ts';
import { Backoff } from '../server/platform/backoff.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import type { BuiltInWindow } from './builtInWindow.ts';

interface LayerWindowOptions {
  readonly page: LayerPage;
  /** Opens the window, hidden. @param onGone it is gone by itself @throws Error when the page does not load */
  readonly open: (onReady: () => void, onGone: () => void) => Promise<BuiltInWindow>;
  readonly screenSize: () => PageSize;
  /** Something was shown or hidden: the kiosk page hears input again, or no longer. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Delays until a layer whose window is gone is opened again. */
const AGAIN = { firstMs: 500, maxMs: 30_000, peaceMs: 30_000 };

/** A layer over the life of its windows: one that crashed is opened again, hidden. */
export class LayerWindow implements Layer {
  readonly #options: LayerWindowOptions;
  readonly #backoff: Backoff;
  #window: BuiltInWindow | undefined;
  #isClosed = false;
  #cancelAgain = () => {};
  /** Where it shows now. */
  area: ScreenArea | 'screen' | undefined;

  constructor(options: LayerWindowOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock, AGAIN);
    void this.#open();
  }

  post(json: string): void {
    this.#window?.post(json);
  }

  async show(area: ScreenArea | 'screen', focus: boolean): Promise<void> {
    if (this.#window === undefined) return;
    this.area = area;
    const bounds = area === 'screen' ? { x: 0, y: 0, ...this.#options.screenSize() } : area;
    this.#window.showAt(bounds, focus);
    this.#options.onChange();
  }

  async hide(): Promise<void> {
    if (this.area === undefined) return;
    this.area = undefined;
    this.#window?.hide();
    this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelAgain();
    await this.hide();
    this.#window?.close();
    this.#window = undefined;
  }

  /** What it shows. */
  async screenshot(format?: PictureFormat): Promise<Uint8Array | undefined> {
    return this.#window?.screenshot(format);
  }

  async #open(): Promise<void> {
    const { page, open, log } = this.#options;
    const opened = Promise.withResolvers<void>();
    try {
      const window = await open(
        () => void opened.promise.then(() => !this.#isClosed && page.onReady()),
        () => this.#lost(),
      );
      if (this.#isClosed) return window.close();
      this.#window = window;
      opened.resolve();
    } catch (error) {
      log.info({ err: error, page: page.name }, 'layer did not open');
      this.#lost();
    }
  }

  #lost(): void {
    this.#window = undefined;
    void this.hide();
    if (this.#isClosed) return;
    this.#cancelAgain();
    this.#cancelAgain = this.#options.clock.after(this.#backoff.next(), () => void this.#open());
  }
}
