import type { Logger } from '../observe/log.ts';
import type { Clock } from './clock.ts';

/** Lines that are logged in one second, and characters of each: a page can write as fast as it likes. */
const LINES = 20;
const PER_MS = 1_000;
const CHARACTERS = 500;
/** User and password in an address, which pages write to their console when they open a camera. */
const LOGIN = /(?<=:\/\/)[^\s/@]+@/g;

/** What the kiosk page writes to its console, in the service's log at debug level: bounded in rate and length. */
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

  /** @param kind as the page called it: `log`, `warning`, `error` and so on */
  write(kind: string, line: string): void {
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
    // Logins go before the line is cut: half of one would stay.
    const said = line.slice(0, 4 * CHARACTERS).replace(LOGIN, '***@');
    const cut = said.length > CHARACTERS ? `${said.slice(0, CHARACTERS)}…` : said;
    this.#log.debug({ kind, said: cut }, 'page console');
  }
}
