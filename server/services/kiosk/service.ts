import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Logger } from '../../observe/log.ts';
import type { KioskWindow } from './driver.ts';

interface KioskOptions {
  /** The window; undefined while the service starts. */
  readonly window: () => KioskWindow | undefined;
  readonly log: Logger;
}

/** What callers may ask of the kiosk window. */
export class KioskService {
  readonly #options: KioskOptions;

  constructor(options: KioskOptions) {
    this.#options = options;
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async reload(): Promise<ResultOf<'kiosk.reload'>> {
    await this.#use((window) => window.reload());
    return { status: 'reloading' };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE (no window), HARDWARE_ERROR */
  async screenshot(): Promise<ResultOf<'kiosk.screenshot'>> {
    return this.#use((window) => window.screenshot());
  }

  async #use<T>(work: (window: KioskWindow) => Promise<T>): Promise<T> {
    const { window, log } = this.#options;
    const open = window();
    if (open === undefined)
      throw new FaceplateError('HARDWARE_ERROR', 'The kiosk browser is not running yet. Try again soon.');
    try {
      return await work(open);
    } catch (error) {
      if (error instanceof FaceplateError) throw error;
      log.warn({ err: error }, 'the kiosk window did not obey');
      throw new FaceplateError('HARDWARE_ERROR', 'The kiosk browser did not do it. Try again soon.', {
        cause: error,
      });
    }
  }
}
