import type { Feed } from '../../contract/command.ts';
import type { Clock } from '../../platform/clock.ts';
import { RateLimit } from '../../platform/limits.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { ConsoleEntry, PageState } from '../contract.ts';
import { maskedText, PageEntries, type PageSays, Refusals } from './pageEntries.ts';
import { type LookedAtPage, PageWatch } from './pageWatch.ts';

interface PageReportOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The page, while it can be looked at. */
  page(): LookedAtPage | undefined;
  /** `PageExtras.readable` */
  readonly readable?: ((text: string) => string) | undefined;
  /** Something of the page's state has changed. */
  onState(state: PageState): void;
  /** It has become `failed` or `blank`; at most 30 times a minute, as a page may load itself again and again. */
  onTrouble(state: PageState): void;
}

const TROUBLES = 30;

/** What the kiosk page does and says, for everyone who asks: every host tells it here. */
export class PageReport {
  readonly refusals: Refusals;
  readonly watch: PageWatch;
  readonly #entries: PageEntries;
  readonly #console: PageConsole;
  readonly #readable: (text: string) => string;
  #onWatched = (): void => {};
  #whyWaiting = '';

  constructor({ clock, log, page, readable = (text) => text, onState, onTrouble }: PageReportOptions) {
    const troubles = new RateLimit({ clock, limit: TROUBLES, windowMs: 60_000 });
    this.#readable = readable;
    this.#console = new PageConsole(clock, log);
    this.#entries = new PageEntries({ clock, readable, onEntry: (entry) => this.#console.write(entry) });
    this.refusals = new Refusals(clock, this.#entries, log);
    this.watch = new PageWatch({
      clock,
      page,
      onChange: (state, isNew) => {
        const isBroken = state.state === 'failed' || state.state === 'blank';
        if (isNew && isBroken && troubles.take()) onTrouble(state);
        if (isNew && state.state === 'waiting')
          this.say({ level: 'network', text: this.#whyWaiting, url: state.url });
        onState(state);
        this.#onWatched();
      },
    });
  }

  /** A document of the page has come. @param status of its server's answer; 0: not known */
  begun(url: string, status = 0): void {
    this.#console.pageLoads();
    const isRefused = status >= 400;
    this.watch.begun(url, isRefused);
    if (isRefused) this.#sayRefused(url, status);
  }

  /** The server answered with an error that is not shown. @param status 400 and above */
  refused(url: string, status: number): void {
    this.watch.refused(url);
    this.#sayRefused(url, status);
  }

  #sayRefused(url: string, status: number): void {
    this.say({ level: 'network', text: `The server of the page answers with ${status}.`, url });
  }

  /** Calls back whenever something of the state has changed. One listener. */
  onWatched(listener: () => void): void {
    this.#onWatched = listener;
  }

  /** The waiting page is shown. @param isBroken the server of the page answers, and the page does not start */
  waiting(isBroken = false): void {
    this.#whyWaiting = isBroken
      ? 'The page does not start. It is tried again later.'
      : 'The server of the page cannot be reached.';
    this.watch.waiting();
  }

  /** @see PageEntries.add */
  say(says: PageSays | (() => PageSays)): void {
    this.#entries.add(says);
  }

  /** @see PageEntries.addException */
  threw(says: () => PageSays): void {
    this.#entries.addException(says);
  }

  /** @see PageEntries.leftOut */
  leftOut(entries: number): void {
    this.#entries.leftOut(entries);
  }

  /** A script of the page's own origin could not be loaded. */
  scriptMissing(url: string): void {
    this.#console.scriptMissing(this.#readable(url));
    this.watch.scriptMissing();
  }

  /** @throws FaceplateError CONFLICT when too many follow the console already */
  feed(): Feed<ConsoleEntry> {
    return this.#entries.feed();
  }

  stop(): void {
    this.watch.stop();
    this.refusals.stop();
    this.#entries.stop();
    this.#console.stop();
  }
}

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
    const onDropped = (dropped: number) =>
      log.debug({ dropped }, 'kiosk: too many lines in the page console, some not logged');
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
    if (level === 'exception') this.#warnOnce('kiosk: uncaught exception in the page', { said, at });
    if (!this.#log.isLevelEnabled('debug') || !this.#lines.take()) return;
    this.#log.debug({ kind: level, said, at }, 'kiosk: page console');
  }

  /** @param url of a script of the page's own origin that could not be loaded */
  scriptMissing(url: string): void {
    this.#warnOnce('kiosk: a script of the page is missing', { at: maskedText(url, BYTES) });
  }

  stop(): void {
    this.#lines.stop();
  }

  #warnOnce(what: LogLine, facts: object): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    if (this.#warnings.take()) this.#log.warn(facts, what);
  }
}
