import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { RateLimit } from '../platform/rateLimit.ts';
import type { PageEntries } from './pageEntries.ts';

/** Lines in one minute: a page can repeat a refused request as often as it likes. */
const LINES = 30;

/**
 * Tells what the page and a person at the glass are refused: in the console of the page, and in the log with a limited
 * rate.
 */
export class Refusals {
  readonly #entries: PageEntries;
  readonly #log: Logger;
  readonly #rate: RateLimit;

  constructor(clock: Clock, entries: PageEntries, log: Logger) {
    this.#entries = entries;
    this.#log = log;
    const onDropped = (dropped: number) => log.warn({ dropped }, 'more refusals than the log may show');
    this.#rate = new RateLimit({ clock, limit: LINES, windowMs: 60_000, onDropped });
  }

  /** @param what one sentence without secrets @param details such as the origin that was requested */
  tell(what: string, details: Readonly<Record<string, string>> = {}): void {
    this.#entries.add(() => ({
      level: 'security',
      text: [what, ...Object.values(details)].join(': '),
      isLogged: true,
    }));
    if (this.#rate.take()) this.#log.warn(details, what);
  }

  stop(): void {
    this.#rate.stop();
  }
}
