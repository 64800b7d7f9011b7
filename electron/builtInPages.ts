import type { WebContents } from 'electron';
import { BuiltInPages } from '../server/kiosk/builtInPages.ts';
import type { BuiltInPage, OpenedPage } from '../server/kiosk/host.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import { BuiltInWindow } from './builtInWindow.ts';
import type { ElectronApi } from './electronApi.ts';

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

  /** The host stops. */
  stop(): void {
    this.#pages.forget();
    for (const window of this.#windows) window.close();
  }

  async #openWindow(page: BuiltInPage, onGone: () => void): Promise<BuiltInWindow> {
    const { electron, preload, refusals } = this.#options;
    const onClosed = () => this.#windows.delete(window);
    const window = new BuiltInWindow({ electron, page, preload, onGone, onClosed, refusals });
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
