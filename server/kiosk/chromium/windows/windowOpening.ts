import { type GrowingLimit, withTimeLimit } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';

interface WindowOpeningOptions {
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** The kiosk's window while it opens: there, and set up. A slow panel needs long for either, so each has its limit. */
export class WindowOpening {
  readonly #options: WindowOpeningOptions;
  #shown = Promise.withResolvers<true>();
  #ready = Promise.withResolvers<true>();

  constructor(options: WindowOpeningOptions) {
    this.#options = options;
  }

  /** The window is there. */
  shown(): void {
    this.#shown.resolve(true);
  }

  /** Its page is set up. */
  ready(): void {
    this.#ready.resolve(true);
  }

  /** Resolves once the next window is open and set up. @throws Error when it is late, or the browser has ended */
  begin(exited: Promise<void>): Promise<void> {
    const { clock, limits } = this.#options;
    const shown = Promise.withResolvers<true>();
    const ready = Promise.withResolvers<true>();
    this.#shown = shown;
    this.#ready = ready;
    const ended = exited.then((): never => {
      throw new Error('The browser ended.');
    });
    const step = async (limit: GrowingLimit, done: Promise<true>, late: string) => {
      if ((await withTimeLimit(clock, limit, Promise.race([done, ended]))) === undefined)
        throw new Error(late);
    };
    const opens = step(limits.start, shown.promise, 'The browser shows no window.').then(() =>
      step(limits.firstWindow, ready.promise, 'The window of the browser does not answer.'),
    );
    // A waiting caller gets these errors; without one they must not become unhandled rejections.
    for (const each of [ended, opens]) each.catch(() => {});
    return opens;
  }
}
