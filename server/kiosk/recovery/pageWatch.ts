import type { Clock } from '../../platform/clock.ts';
import { withoutLogins } from '../../platform/redaction.ts';
import type { PageState } from '../contract.ts';
import { isOneColour, type PageFault } from './deadPageCheck.ts';

/** When a loaded page must show something, in milliseconds after its load. */
const BLANK_MS = 10_000;
/** How often a blank or failed page is looked at again, in milliseconds. */
const AGAIN_MS = 2_000;
/** Shortest time between two reports of a change that is not one of the state, in milliseconds. */
const QUIET_MS = 500;
/** How long somebody waits at most for a page that loads, in milliseconds. */
const SETTLED_MS = 3_000;
const TITLE_CHARACTERS = 500;

/** A page that can be looked at. */
export interface LookedAtPage {
  /** What its document holds of text, pictures, videos and canvases, as PAGE_CONTENT says it; empty: none of them. */
  content(): Promise<string>;
  screenshot(): Promise<Uint8Array>;
}

interface WatchedDocument {
  isLoaded: boolean;
  isDrawn: boolean;
  lacksScript: boolean;
  /** It is what the server sends in place of the page. */
  readonly isRefused: boolean;
}

interface PageWatchOptions {
  readonly clock: Clock;
  /** The time of day. */
  readonly date?: () => Date;
  /** The page, while it can be looked at. */
  page(): LookedAtPage | undefined;
  /** Something of the state has changed. `isNew`: it is another state, not only another title or count. */
  onChange(state: PageState, isNew: boolean): void;
}

/**
 * What the kiosk page does, as one word, from what its host hears: `loading` until it draws or has loaded, then `shown`.
 * It is `failed` when a script of its own does not load, or throws before the page drew anything, and `blank` when it
 * shows nothing 10 s after its load. A failed page that changes what it shows, without another exception, is `shown`
 * again. A rejected promise only counts: what a page could not start by it leaves it blank. What a server sends with an
 * error status is `failed` as long as it is there.
 */
export class PageWatch {
  readonly #options: PageWatchOptions;
  #url = '';
  #title = '';
  #state: PageState['state'] = 'loading';
  #since: string;
  #errors = 0;
  /** The document that is there; undefined while there is none of the page's own. */
  #document: WatchedDocument | undefined;
  /** The document that the host leaves. */
  #left: WatchedDocument | undefined;
  #cancelLook = (): void => {};
  #cancelReport: (() => void) | undefined;
  /** Who waits for the end of `loading`. */
  readonly #waiting = new Set<() => void>();

  constructor(options: PageWatchOptions) {
    this.#options = options;
    this.#since = this.#now();
  }

  get state(): PageState {
    return {
      url: this.#url,
      title: this.#title,
      state: this.#state,
      since: this.#since,
      errors: this.#errors,
      home: true,
      until: null,
    };
  }

  /** Why the page does not work; undefined while it does, and for one that shows nothing on purpose. */
  get fault(): PageFault | undefined {
    if (this.#document === undefined) return undefined;
    const { isRefused, lacksScript } = this.#document;
    if (this.#state === 'blank') return lacksScript ? 'script' : undefined;
    if (this.#state !== 'failed') return undefined;
    return isRefused ? 'refused' : lacksScript ? 'script' : 'exception';
  }

  /** Resolves once a page is no longer `loading`, and after three seconds in any case. */
  settled(): Promise<void> {
    if (this.#state !== 'loading') return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        cancel();
        this.#waiting.delete(settle);
        resolve();
      };
      const cancel = this.#options.clock.after(SETTLED_MS, settle);
      this.#waiting.add(settle);
    });
  }

  /** The host shows this page next. */
  wanted(url: string): void {
    this.#url = shownAddress(url);
    this.#reportSoon();
  }

  /** The host leaves the page that is there for this one. */
  leaving(url: string): void {
    this.wanted(url);
    this.#left = this.#document;
    this.#document = undefined;
    this.#title = '';
    this.#errors = 0;
    this.#enter('loading');
  }

  /** No new document comes: the page that is there shows the address by itself. */
  stayed(): void {
    if (this.#document !== undefined || this.#left === undefined) return;
    this.#document = this.#left;
    this.#enter(this.#document.isRefused ? 'failed' : 'shown');
  }

  /** The document that is there has another address now, by its own script or a link within it. */
  moved(url: string): void {
    if (this.#document !== undefined) this.wanted(url);
  }

  /** A document of the page has come. @param isRefused its server answered with an error, and this is its text */
  begun(url: string, isRefused = false): void {
    this.wanted(url);
    this.#title = '';
    this.#errors = 0;
    this.#document = { isLoaded: false, isDrawn: false, lacksScript: false, isRefused };
    this.#enter(isRefused ? 'failed' : 'loading');
  }

  /** Its server answered with an error that is not shown: a page of the host's says so. */
  refused(url: string): void {
    this.wanted(url);
    this.#title = '';
    this.#document = undefined;
    this.#enter('failed');
  }

  /** The page is gone and will be brought back. */
  lost(): void {
    this.#document = undefined;
    this.#enter('loading');
  }

  /** The page cannot be shown: the waiting page is. */
  waiting(): void {
    this.#document = undefined;
    this.#enter('waiting');
  }

  /** The document has drawn for the first time. */
  drawn(): void {
    if (this.#document === undefined) return;
    this.#document.isDrawn = true;
    if (this.#state === 'loading') this.#enter('shown');
  }

  /** The document has loaded, with all that its load waits for. */
  loaded(): void {
    if (this.#document === undefined) return;
    this.#document.isLoaded = true;
    if (this.#state === 'loading') this.#enter('shown');
    if (this.#document.isRefused) return;
    if (this.#state === 'shown') this.#lookAfter(BLANK_MS, () => this.#lookWhetherBlank());
    else this.#lookAfter(0, () => this.#lookWhetherRecovered());
  }

  /** An exception that nothing caught. */
  threw(): void {
    this.#count(this.#document?.isDrawn === false);
  }

  /** A promise was rejected and nothing caught it. @param lacksScript a script of the page's own, imported by another */
  rejected(lacksScript = false): void {
    if (this.#document !== undefined && lacksScript) this.#document.lacksScript = true;
    this.#count(false);
  }

  /** A script of the page's own origin could not be loaded. */
  scriptMissing(): void {
    if (this.#document !== undefined) this.#document.lacksScript = true;
    this.#count(this.#document?.isLoaded === false);
  }

  titled(title: string): void {
    const shown = title.slice(0, TITLE_CHARACTERS).toWellFormed();
    if (this.#document === undefined || shown === this.#title) return;
    this.#title = shown;
    this.#reportSoon();
  }

  stop(): void {
    this.#settle();
    this.#cancelLook();
    this.#cancelReport?.();
    this.#cancelReport = undefined;
  }

  #settle(): void {
    for (const settle of this.#waiting) settle();
  }

  #count(isFailure: boolean): void {
    if (this.#document === undefined) return;
    this.#errors++;
    this.#reportSoon();
    if (!isFailure || this.#state === 'failed') return;
    this.#enter('failed');
    // A load that never ends must not keep a page failed that works.
    this.#lookAfter(this.#document.isLoaded ? 0 : BLANK_MS, () => this.#lookWhetherRecovered());
  }

  async #lookWhetherBlank(): Promise<void> {
    const document = this.#document;
    const page = this.#options.page();
    const isBlank = page && (await showsNothing(page).catch(() => undefined));
    if (document === undefined || document !== this.#document || this.#state === 'failed') return;
    // From now on an exception is no longer one of its start, even if it was not seen to draw.
    document.isDrawn = true;
    if (isBlank !== undefined) this.#enter(isBlank ? 'blank' : 'shown');
    if (isBlank !== false) this.#lookAfter(AGAIN_MS, () => this.#lookWhetherBlank());
  }

  /** @param before what it showed, and its errors, at the last look */
  async #lookWhetherRecovered(before?: { content: string; errors: number }): Promise<void> {
    const document = this.#document;
    const errors = this.#errors;
    const content = await this.#options
      .page()
      ?.content()
      .catch(() => undefined);
    if (document === undefined || document !== this.#document || this.#state !== 'failed') return;
    const isCalm = before?.errors === this.#errors;
    if (isCalm && content !== undefined && content !== '' && content !== before.content) {
      document.isDrawn = true;
      this.#enter('shown');
      return;
    }
    const now = content === undefined ? before : { content, errors };
    this.#lookAfter(AGAIN_MS, () => this.#lookWhetherRecovered(now));
  }

  #lookAfter(ms: number, look: () => Promise<void>): void {
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(ms, () => void look());
  }

  #enter(state: PageState['state']): void {
    if (state === this.#state && state !== 'loading') return;
    this.#cancelLook();
    const isNew = state !== this.#state;
    this.#state = state;
    if (state !== 'loading') this.#settle();
    if (isNew) this.#since = this.#now();
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    this.#options.onChange(this.state, isNew);
  }

  #reportSoon(): void {
    this.#cancelReport ??= this.#options.clock.after(QUIET_MS, () => {
      this.#cancelReport = undefined;
      this.#options.onChange(this.state, false);
    });
  }

  #now(): string {
    const { date = () => new Date() } = this.#options;
    return date().toISOString();
  }
}

async function showsNothing(page: LookedAtPage): Promise<boolean> {
  return (await page.content()) === '' && isOneColour(await page.screenshot());
}

/** An address as callers see it: without logins. */
export function shownAddress(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return withoutLogins(url.href);
}
