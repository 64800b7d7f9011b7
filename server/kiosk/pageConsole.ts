import { withoutLogins } from '../platform/cameraAddress.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';

/** How many lines are logged in one second, and characters of each: a page can write as fast as it likes. */
const LINES = 20;
const PER_MS = 1_000;
const CHARACTERS = 500;

/** Writes the console lines of the kiosk page to the service's log at debug level, with limited rate and length. */
export class PageConsole {
  readonly #clock: Clock;
  readonly #log: Logger;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #dropped = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * @param kind as the page called it: `log`, `warning`, `error` and so on
   * @param line the text, or a function that makes it when that costs time: most lines of a flood are never read
   */
  write(kind: string, line: string | (() => string)): void {
    if (!this.#log.isLevelEnabled('debug')) return;
    const now = this.#clock.now();
    if (now - this.#secondBegan >= PER_MS) {
      if (this.#dropped > 0) this.#log.debug({ dropped: this.#dropped }, 'page console: too many lines');
      this.#secondBegan = now;
      this.#lines = 0;
      this.#dropped = 0;
    }
    if (++this.#lines > LINES) {
      this.#dropped++;
      return;
    }
    // Logins are removed before the line is cut: otherwise half of one would stay.
    const said = withoutLogins((typeof line === 'string' ? line : line()).slice(0, 4 * CHARACTERS));
    const cut = said.length > CHARACTERS ? `${said.slice(0, CHARACTERS)}…` : said;
    this.#log.debug({ kind, said: cut }, 'page console');
  }
}
