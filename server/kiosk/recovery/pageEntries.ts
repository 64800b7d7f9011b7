import type { Feed } from '../../contract/command.ts';
import type { Clock } from '../../platform/clock.ts';
import { RateLimit } from '../../platform/limits.ts';
import { type Logger, Tail } from '../../platform/log.ts';
import { withoutLogins } from '../../platform/redaction.ts';
import type { ConsoleEntry, ConsoleLevel } from '../contract.ts';

/** The most entries that are stored, how many are whole in one second (as many exceptions again), and the longest text in bytes. */
const KEPT = 500;
const PER_SECOND = 100;
const TEXT_BYTES = 4 * 1024;
const URL_BYTES = 2 * 1024;

/** What a host hears of the page. */
export interface PageSays {
  readonly level: ConsoleLevel;
  readonly text: string;
  readonly url?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly stack?: string | undefined;
  /** It is in the log already. */
  readonly isLogged?: true;
}

interface PageEntriesOptions {
  readonly clock: Clock;
  /** The time of day. */
  readonly date?: () => Date;
  /** Takes out what not everybody may read. */
  readonly readable?: (text: string) => string;
  /** Gets each entry that does not stand in the log already. */
  readonly onEntry?: (entry: ConsoleEntry) => void;
}

/**
 * The console of the kiosk page for people who are not in front of it: its last 500 entries, at most 100 in a second,
 * then a line that says how many more there were. Exceptions have 100 of their own: no flood of lines hides one.
 */
export class PageEntries {
  readonly #options: PageEntriesOptions;
  readonly #tail = new Tail<ConsoleEntry>(KEPT);
  readonly #lines: RateLimit;
  readonly #exceptions: RateLimit;

  constructor(options: PageEntriesOptions) {
    this.#options = options;
    this.#lines = this.#limit('entries');
    this.#exceptions = this.#limit('exceptions');
  }

  #limit(what: string): RateLimit {
    return new RateLimit({
      clock: this.#options.clock,
      limit: PER_SECOND,
      windowMs: 1_000,
      onDropped: (dropped) => {
        const text = `${dropped} more ${what} in one second were dropped.`;
        this.#keep({ level: 'warning', text });
      },
    });
  }

  /** @param says what there is to say, or a function that makes it: most of a flood is never read */
  add(says: PageSays | (() => PageSays)): void {
    if (this.#lines.take()) this.#keep(typeof says === 'function' ? says() : says);
  }

  /** As `add`, for an exception that nothing caught. */
  addException(says: () => PageSays): void {
    if (this.#exceptions.take()) this.#keep(says());
  }

  /** The page has left out so many of its entries by itself. */
  leftOut(entries: number): void {
    this.#lines.drop(entries);
  }

  /** @throws FaceplateError CONFLICT when too many follow the console already */
  feed(): Feed<ConsoleEntry> {
    return this.#tail.feed('console', (entry) => entry);
  }

  stop(): void {
    this.#lines.stop();
    this.#exceptions.stop();
  }

  #keep({ level, text, url = '', line, column, stack, isLogged }: PageSays): void {
    // The browser asks for it by itself.
    if (level === 'network' && /^https?:\/\/[^/]*\/favicon\.ico$/.test(url)) return;
    const hint = text.includes('blocked by CORS policy') ? CORS_HINT : '';
    const { date = () => new Date(), readable = (text) => text, onEntry } = this.#options;
    const masked = (given: string, bytes: number) => maskedText(readable(given.slice(0, 4 * bytes)), bytes);
    const entry: ConsoleEntry = {
      time: date().toISOString(),
      level,
      text: masked(text, TEXT_BYTES - hint.length) + hint,
      url: url === '' ? null : masked(url, URL_BYTES),
      line: line ?? null,
      column: column ?? null,
      stack: stack === undefined ? null : masked(stack, TEXT_BYTES),
    };
    this.#tail.add(entry);
    if (!isLogged) onEntry?.(entry);
  }
}

/** What a page can do where the browser refuses it the answer of another server. */
const CORS_HINT = " Ask devices of the local network with container.call('http.request', { url }).";

const ELLIPSIS = '…';

/**
 * A text of the page with the logins of addresses masked, and at most so many bytes of UTF-8. Logins go before the text
 * is cut: otherwise half of one would stay.
 */
export function maskedText(text: string, bytes: number): string {
  const masked = withoutLogins(text.slice(0, 4 * bytes)).toWellFormed();
  const whole = Buffer.from(masked, 'utf8');
  if (whole.length <= bytes) return masked;
  let end = bytes - Buffer.byteLength(ELLIPSIS);
  // The bytes 10xxxxxx continue a character: it must not be cut in two.
  while ((whole[end]! & 0xc0) === 0x80) end--;
  return `${whole.toString('utf8', 0, end)}${ELLIPSIS}`;
}

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
    const onDropped = (dropped: number) => log.warn({ dropped }, 'kiosk: too many refusals, some not logged');
    this.#rate = new RateLimit({ clock, limit: LINES, windowMs: 60_000, onDropped });
  }

  /** @param what one sentence without secrets @param details such as the origin that was requested */
  tell(what: string, details: Readonly<Record<string, string>> = {}): void {
    this.#entries.add(() => ({
      level: 'security',
      text: [what, ...Object.values(details)].join(': '),
      isLogged: true,
    }));
    if (this.#rate.take()) this.#log.warn({ refused: what, ...details }, 'kiosk: request refused');
  }

  stop(): void {
    this.#rate.stop();
  }
}

/** What the window guard (preload/windowGuard.ts) refuses, in our words. */
const WORDS: ReadonlyMap<unknown, readonly [what: string, details?: Readonly<Record<string, string>>]> =
  new Map([
    ['scheme', ['navigation refused', { why: 'a page may not use its scheme' }]],
    ['window', ['window refused', { instead: 'the page itself shows its address' }]],
    ['dialog', ['dialog refused']],
    ['pointer-lock', ['pointer lock refused']],
    ['security-key', ['security key refused']],
  ]);

/** Tells what the window guard has refused; ignores what it never says. */
export function tellWindowRefusal(refusals: Refusals, refusal: unknown): void {
  const words = WORDS.get(refusal);
  if (words !== undefined) refusals.tell(...words);
}
