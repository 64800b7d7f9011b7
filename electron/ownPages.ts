import type { WebContents } from 'electron';
import { FaceplateError } from '../server/contract/errors.ts';
import { Backoff } from '../server/host/backoff.ts';
import type { Clock } from '../server/host/clock.ts';
import type { OpenedPage, OwnPage } from '../server/host/host.ts';
import type { Logger } from '../server/observe/log.ts';
import type { ElectronApi } from './electronApi.ts';
import { OwnWindow } from './ownWindow.ts';

const AGAIN = { firstMs: 500, maxMs: 30_000, peaceMs: 30_000 };

interface OwnPagesOptions {
  readonly electron: ElectronApi;
  readonly clock: Clock;
  readonly preload: string;
  /** A page opened: whatever has to lie above it is put there. */
  readonly onOpened: () => void;
  readonly log: Logger;
}

/** The pages of Faceplate's own that are open. */
export class OwnPages {
  readonly #options: OwnPagesOptions;
  readonly #windows = new Map<OwnPage['name'], OwnWindow>();
  readonly #retries = new Set<() => void>();

  constructor(options: OwnPagesOptions) {
    this.#options = options;
  }

  /** The page that lies over the kiosk page, while there is one. */
  get upper(): OwnWindow | undefined {
    return [...this.#windows.values()].find(({ page }) => page.visible);
  }

  /** The window that these contents belong to. */
  windowOf(contents: WebContents): OwnWindow | undefined {
    return [...this.#windows.values()].find((window) => window.holds(contents));
  }

  /** @see KioskHost.openOwn */
  async open(page: OwnPage): Promise<OpenedPage> {
    if (this.#windows.has(page.name)) throw new Error(`The page ${page.name} is open already.`);
    const backoff = new Backoff(this.#options.clock, AGAIN);
    let isWanted = true;
    const close = async () => {
      if (!isWanted) return;
      isWanted = false;
      this.#windows.get(page.name)?.close();
      this.#windows.delete(page.name);
    };
    const again = () => {
      const cancel = this.#options.clock.after(backoff.next(), () => {
        this.#retries.delete(cancel);
        if (isWanted) show().catch(() => again());
      });
      this.#retries.add(cancel);
    };
    const show = async () => {
      const { electron, preload, log } = this.#options;
      const onGone = () => {
        if (!page.visible) return again();
        isWanted = false;
        this.#windows.delete(page.name);
        page.onGone?.();
      };
      const window = new OwnWindow({ electron, page, preload, onGone, log });
      this.#windows.set(page.name, window);
      try {
        await window.open();
      } catch (error) {
        window.close();
        throw error;
      }
      this.#options.onOpened();
    };
    try {
      await show();
    } catch (error) {
      if (page.visible) {
        await close();
        throw new FaceplateError('HARDWARE_ERROR', 'The page cannot be shown now.', { cause: error });
      }
      again();
    }
    return { close };
  }

  stop(): void {
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
    for (const window of this.#windows.values()) window.close();
    this.#windows.clear();
  }
}
