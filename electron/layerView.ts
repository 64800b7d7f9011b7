import type { Layer, LayerPage, PictureFormat, ScreenArea } from '../server/kiosk/host.ts';
import { Backoff } from '../server/platform/backoff.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import type { BuiltInView } from './builtInView.ts';

interface LayerViewOptions {
  readonly page: LayerPage;
  /** Opens the page, hidden. @param onGone it is gone by itself @throws Error when the page does not load */
  readonly open: (onReady: () => void, onGone: () => void) => Promise<BuiltInView>;
  /** It was shown or hidden: the kiosk page hears input again, or no longer. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Delays until a layer whose page is gone is opened again. */
const AGAIN = { firstMs: 500, maxMs: 30_000, peaceMs: 30_000 };

/** A layer over the life of its pages: one that crashed is opened again, hidden. */
export class LayerView implements Layer {
  readonly #options: LayerViewOptions;
  readonly #backoff: Backoff;
  #view: BuiltInView | undefined;
  #isClosed = false;
  #cancelAgain = () => {};
  /** Where it shows now. */
  area: ScreenArea | 'screen' | undefined;

  constructor(options: LayerViewOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock, AGAIN);
    void this.#open();
  }

  post(json: string): void {
    this.#view?.post(json);
  }

  async show(area: ScreenArea | 'screen', focus: boolean): Promise<void> {
    if (this.#view === undefined) return;
    this.area = area;
    this.#view.showAt(area, focus);
    this.#options.onChange();
  }

  async hide(): Promise<void> {
    const { area } = this;
    if (area === undefined) return;
    const released = this.#view?.held.released();
    if (released !== undefined) await released;
    // Another call has hidden it, or it shows something new.
    if (this.area !== area) return;
    this.area = undefined;
    this.#view?.hide();
    this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelAgain();
    this.#view?.held.forget();
    await this.hide();
    this.#view?.close();
    this.#view = undefined;
  }

  /** What it shows. */
  async screenshot(format?: PictureFormat): Promise<Uint8Array | undefined> {
    return this.#view?.screenshot(format);
  }

  async #open(): Promise<void> {
    const { page, open, log } = this.#options;
    const opened = Promise.withResolvers<void>();
    try {
      const view = await open(
        () => void opened.promise.then(() => !this.#isClosed && page.onReady()),
        () => this.#lost(),
      );
      if (this.#isClosed) return view.close();
      this.#view = view;
      opened.resolve();
    } catch (error) {
      log.info({ err: error, page: page.name }, 'layer did not open');
      this.#lost();
    }
  }

  #lost(): void {
    this.#view?.held.forget();
    this.#view = undefined;
    void this.hide();
    if (this.#isClosed) return;
    this.#cancelAgain();
    this.#cancelAgain = this.#options.clock.after(this.#backoff.next(), () => void this.#open());
  }
}
