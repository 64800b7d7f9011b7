import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { RateLimit } from '../platform/rateLimit.ts';
import { maskedText } from './consoleText.ts';
import type { ConsoleEntry } from './contract.ts';

/** How many entries are logged in one second, and bytes of each: a page can write as fast as it likes. */
const LINES = 20;
const BYTES = 500;
/** Warnings in one minute: a page may load itself again and again. */
const WARNINGS = 30;

/**
 * Writes the console of the kiosk page to the service's log: all at debug level, and at level warn the first uncaught
 * exception and the first missing script of each page load.
 */
export class PageConsole {
  readonly #log: Logger;
  readonly #lines: RateLimit;
  readonly #warnings: RateLimit;
  /** What this page load was warned of. */
  readonly #warned = new Set<string>();

  constructor(clock: Clock, log: Logger) {
    this.#log = log;
    const onDropped = (dropped: number) => log.debug({ dropped }, 'page console: too many lines');
    this.#lines = new RateLimit({ clock, limit: LINES, windowMs: 1_000, onDropped });
    this.#warnings = new RateLimit({ clock, limit: WARNINGS, windowMs: 60_000 });
  }

  /** A new document: its first exception is news again. */
  pageLoads(): void {
    this.#warned.clear();
  }

  write({ level, text, url, line, column }: ConsoleEntry): void {
    const at = url === null ? undefined : `${url}${line === null ? '' : `:${line}:${column ?? 1}`}`;
    const said = maskedText(text, BYTES);
    if (level === 'exception') this.#warnOnce('the kiosk page has an uncaught exception', { said, at });
    if (!this.#log.isLevelEnabled('debug') || !this.#lines.take()) return;
    this.#log.debug({ kind: level, said, at }, 'page console');
  }

  /** @param url of a script of the page's own origin that could not be loaded */
  scriptMissing(url: string): void {
    this.#warnOnce('a script of the kiosk page is missing', { at: maskedText(url, BYTES) });
  }

  stop(): void {
    this.#lines.stop();
  }

  #warnOnce(what: string, facts: object): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    if (this.#warnings.take()) this.#log.warn(facts, what);
  }
}
