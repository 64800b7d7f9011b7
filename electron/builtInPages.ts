import type { WebContents } from 'electron';
import { BuiltInPages } from '../server/kiosk/builtInPages.ts';
import type { BuiltInPage, Layer, LayerPage, OpenedPage, PageSize } from '../server/kiosk/host.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import { BuiltInWindow } from './builtInWindow.ts';
import type { ElectronApi } from './electronApi.ts';
import { LayerWindow } from './layerWindow.ts';

interface ElectronPagesOptions {
  readonly electron: ElectronApi;
  readonly clock: Clock;
  readonly preload: string;
  /** A page has opened: time to raise the windows that belong above it. */
  readonly onOpened: () => void;
  readonly refusals: Refusals;
  readonly log: Logger;
}

/** The built-in pages of the host, and the windows that they have now. */
export class ElectronPages {
  readonly #options: ElectronPagesOptions;
  readonly #pages: BuiltInPages<BuiltInWindow>;
  readonly #windows = new Set<BuiltInWindow>();
  readonly #layers = new Map<string, LayerWindow>();

  constructor(options: ElectronPagesOptions) {
    this.#options = options;
    this.#pages = new BuiltInPages({
      isReady: () => true,
      openWindow: (page, onGone) => this.#openWindow(page, onGone),
      settle: async () => options.onOpened(),
      // Electron gives the screen and the keys back by itself.
      uncover: async () => {},
      clock: options.clock,
      log: options.log,
    });
  }

  /** The built-in page over the kiosk page, while there is one. */
  get upper(): BuiltInWindow | undefined {
    return [...this.#windows].find(({ page }) => page.visible);
  }

  /** The window that these contents belong to, also while it loads. */
  windowOf(contents: WebContents): BuiltInWindow | undefined {
    return [...this.#windows].find((window) => window.holds(contents));
  }

  /** @see KioskHost.openBuiltIn */
  open(page: BuiltInPage): Promise<OpenedPage> {
    return this.#pages.open(page);
  }

  /** @see KioskHost.openLayer */
  openLayer(page: LayerPage): Layer {
    if (this.#layers.has(page.name)) throw new Error(`The layer ${page.name} is open already.`);
    const layer = new LayerWindow({
      page,
      open: (onReady, onGone) => this.#openWindow({ ...page, visible: false, media: false }, onGone, onReady),
      screenSize: () => this.screenSize(),
      onChange: this.#options.onOpened,
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

  /** Size of the screen in pixels of the page. */
  screenSize(): PageSize {
    const { width, height } = this.#options.electron.screen.getPrimaryDisplay().size;
    return { width, height };
  }

  /** The layer that fills the screen. */
  get covering(): LayerWindow | undefined {
    return [...this.#layers.values()].find(({ area }) => area === 'screen');
  }

  /** The host stops. */
  stop(): void {
    for (const layer of this.#layers.values()) void layer.close();
    this.#layers.clear();
    this.#pages.forget();
    for (const window of this.#windows) window.close();
  }

  async #openWindow(page: BuiltInPage, onGone: () => void, onReady?: () => void): Promise<BuiltInWindow> {
    const { electron, preload, refusals } = this.#options;
    const onClosed = () => this.#windows.delete(window);
    const window = new BuiltInWindow({
      ...{ electron, page, preload, onGone, onClosed, refusals },
      ...(onReady && { onReady }),
    });
    this.#windows.add(window);
    try {
      await window.open();
    } catch (error) {
      window.close();
      throw error;
    }
    return window;
  }
}
