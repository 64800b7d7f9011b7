import type { WebContents } from 'electron';
import { BuiltInPages } from '../server/kiosk/builtInPages.ts';
import type {
  BuiltInPage,
  Layer,
  LayerPage,
  OpenedPage,
  PictureFormat,
  ScreenArea,
} from '../server/kiosk/host.ts';
import type { Refusals } from '../server/kiosk/recovery/pageEntries.ts';
import { Backoff } from '../server/platform/async.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import { BuiltInView } from './builtInView.ts';
import type { ElectronApi } from './electronApi.ts';
import type { KioskWindow, ViewPlace } from './kioskWindow.ts';

interface ElectronPagesOptions {
  readonly electron: ElectronApi;
  readonly clock: Clock;
  readonly preload: string;
  readonly window: KioskWindow;
  /** A layer was shown or hidden. */
  readonly onLayers: () => void;
  /** A page in which a person may write has an empty document, and is sent to its address when this resolves. */
  readonly onWritable: (contents: WebContents) => Promise<void>;
  readonly refusals: Refusals;
  readonly log: Logger;
}

/** The built-in pages of the host. */
export class ElectronPages {
  readonly #options: ElectronPagesOptions;
  readonly #pages: BuiltInPages<BuiltInView>;
  readonly #views = new Set<BuiltInView>();
  readonly #layers = new Map<string, LayerView>();

  constructor(options: ElectronPagesOptions) {
    this.#options = options;
    this.#pages = new BuiltInPages({
      isReady: () => true,
      openWindow: (page, onGone) => this.#openView(page, page.visible ? 'settings' : 'unseen', onGone),
      // The window knows the order, and gives the keys back.
      settle: async () => {},
      uncover: async () => {},
      clock: options.clock,
      log: options.log,
    });
  }

  /** The page that these contents belong to, also while it loads. */
  pageOf(contents: WebContents): BuiltInView | undefined {
    return [...this.#views].find((view) => view.holds(contents));
  }

  /** @see KioskHost.openBuiltIn */
  open(page: BuiltInPage): Promise<OpenedPage> {
    return this.#pages.open(page);
  }

  /** @see KioskHost.openLayer */
  openLayer(page: LayerPage): Layer {
    if (this.#layers.has(page.name)) throw new Error(`The layer ${page.name} is open already.`);
    const layer = new LayerView({
      page,
      open: (onReady, onGone) =>
        this.#openView({ ...page, visible: false, media: page.name === 'glass' }, page.name, onGone, onReady),
      onChange: this.#options.onLayers,
      clock: this.#options.clock,
      log: this.#options.log,
    });
    this.#layers.set(page.name, layer);
    const close = async () => {
      if (this.#layers.get(page.name) === layer) this.#layers.delete(page.name);
      await layer.close();
    };
    return {
      post: (json) => layer.post(json),
      show: (area, focus) => layer.show(area, focus),
      hide: () => layer.hide(),
      close,
    };
  }

  /** The layer that fills the screen. */
  get covering(): LayerView | undefined {
    return [...this.#layers.values()].find(({ area }) => area === 'screen');
  }

  /** The host stops. */
  stop(): void {
    for (const layer of this.#layers.values()) void layer.close();
    this.#layers.clear();
    this.#pages.forget();
    for (const view of this.#views) view.close();
  }

  async #openView(
    page: BuiltInPage,
    place: ViewPlace,
    onGone: () => void,
    onReady?: () => void,
  ): Promise<BuiltInView> {
    const { electron, window, preload, refusals, clock, onWritable } = this.#options;
    const onClosed = () => this.#views.delete(view);
    // The keyboard has no field, and the others are invisible.
    const isWritable = page.visible || page.name === 'glass';
    const view = new BuiltInView({
      ...{ electron, window, place, page, preload, onGone, onClosed, refusals, clock },
      ...(onReady && { onReady }),
      ...(isWritable && { onWritable }),
    });
    this.#views.add(view);
    try {
      await view.open();
    } catch (error) {
      view.close();
      throw error;
    }
    return view;
  }
}

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
class LayerView implements Layer {
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
      log.info({ err: error, page: page.name }, 'kiosk: could not open a layer');
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
