import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { SaverOnGlass } from '../glass/contract.ts';
import type { Photo, PhotoSource } from './photo.ts';
import { PhotoAddresses, type PhotoAddressesOptions, PhotoFolder } from './photoSources.ts';

/** What the owner chose. */
interface SaverChoice {
  /** `clock`, `black`, `photos` or an address. */
  readonly saver: string;
  /** A folder, or addresses. */
  readonly photos: string | readonly string[];
}

/** Where savers lie: the slot of the glass. */
interface SaverGlass {
  set(slot: 'saver', content: SaverOnGlass | null): Promise<void>;
}

interface SaverOptions {
  readonly choice: () => SaverChoice;
  readonly glass: SaverGlass;
  /** Of the page that draws the saver. */
  readonly origin: () => string;
  readonly fetch: PhotoAddressesOptions['fetch'];
  readonly ask: AskAddress;
  readonly clock: Clock;
  readonly log: Logger;
}

/** So long the glass may stay as it is until the saver's first picture is known; the clock comes then. */
const FIRST_MS = 1_000;
/** After this an address that could not be shown is tried again. */
const AGAIN_MS = 60_000;

const CLOCK: SaverOnGlass = { kind: 'clock', photos: null, url: null };
const BLACK: SaverOnGlass = { kind: 'black', photos: null, url: null };

/** One time that a saver is up. */
interface Showing {
  readonly choice: SaverChoice;
  shown: SaverOnGlass | undefined;
  photos: PhotoSource | undefined;
  /** Opens the pictures, and nothing else. */
  token: string;
  isEnded: boolean;
  cancel: () => void;
}

/**
 * What covers the page while the panel is idle: a clock, photos, a page of an address, or nothing but black. The
 * clock replaces what cannot be shown.
 */
export class SaverService {
  readonly #options: SaverOptions;
  #showing: Showing | undefined;
  /** Remembered from one time to the next, so that each continues where the last ended. */
  #source: { readonly of: string; readonly photos: PhotoSource } | undefined;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /** Shows the saver of the settings; does nothing while it is up. @throws FaceplateError UNSUPPORTED_HARDWARE */
  async start(): Promise<void> {
    if (this.#showing !== undefined) return;
    const { clock, choice } = this.#options;
    const showing: Showing = {
      choice: choice(),
      shown: undefined,
      photos: undefined,
      token: '',
      isEnded: false,
      cancel: () => {},
    };
    this.#showing = showing;
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(FIRST_MS, () => late.resolve());
    const shown = this.#choose(showing);
    // It may come after the clock.
    shown.catch(this.#warn);
    try {
      await Promise.race([shown, late.promise]);
      if (showing.shown === undefined) await this.#show(showing, CLOCK);
    } catch (error) {
      if (this.#showing === showing) await this.end().catch(this.#warn);
      throw error;
    } finally {
      cancel();
    }
  }

  /** Takes the saver away; does nothing while none is up. */
  async end(): Promise<void> {
    const showing = this.#showing;
    if (showing === undefined) return;
    this.#showing = undefined;
    close(showing);
    await this.#options.glass.set('saver', null);
  }

  /** The settings changed: a saver that is up becomes the one of now. */
  async follow(): Promise<void> {
    const showing = this.#showing;
    if (showing === undefined || JSON.stringify(showing.choice) === JSON.stringify(this.#options.choice()))
      return;
    this.#showing = undefined;
    close(showing);
    await this.start();
  }

  async stop(): Promise<void> {
    await this.end().catch(() => {});
  }

  /** The next picture, for the page of the glass. @param path under its origin @returns undefined for any other path */
  async photo(path: string): Promise<Photo | undefined> {
    const showing = this.#showing;
    const isAsked = showing?.photos !== undefined && path.startsWith(`photos/${showing.token}/`);
    return isAsked ? showing.photos?.next() : undefined;
  }

  async #choose(showing: Showing): Promise<void> {
    const { saver } = showing.choice;
    if (saver === 'photos') await this.#showPhotos(showing);
    else if (saver === 'black') await this.#show(showing, BLACK);
    else if (saver === 'clock') await this.#show(showing, CLOCK);
    else await this.#showAddress(showing, saver);
  }

  async #showPhotos(showing: Showing): Promise<void> {
    const photos = this.#photosOf(showing.choice.photos);
    showing.photos = photos;
    showing.token = randomBytes(16).toString('base64url');
    const content: SaverOnGlass = { kind: 'photos', photos: `photos/${showing.token}`, url: null };
    const show = () => this.#show(showing, photos.count > 0 ? content : CLOCK);
    await photos.start(() => void show().catch(this.#warn));
    if (showing.shown === undefined) await show();
  }

  /** Of a choice that stays the same the source stays the same: it knows which picture is next. */
  #photosOf(photos: string | readonly string[]): PhotoSource {
    const { clock, fetch, log } = this.#options;
    const of = JSON.stringify(photos);
    if (this.#source?.of !== of) {
      const source =
        typeof photos === 'string'
          ? new PhotoFolder({ path: photos, clock })
          : new PhotoAddresses({ addresses: photos, fetch, log });
      this.#source = { of, photos: source };
    }
    return this.#source.photos;
  }

  async #showAddress(showing: Showing, url: string): Promise<void> {
    const why = await whyNotFramed(url, this.#options.origin(), this.#options.ask);
    if (showing.isEnded) return;
    if (why === undefined) return this.#show(showing, { kind: 'page', photos: null, url });
    if (showing.shown === undefined)
      this.#options.log.warn({ why }, 'saver: could not show the address, showing the clock');
    showing.cancel = this.#options.clock.after(AGAIN_MS, () => {
      this.#showAddress(showing, url).catch(this.#warn);
    });
    await this.#show(showing, CLOCK);
  }

  async #show(showing: Showing, content: SaverOnGlass): Promise<void> {
    if (showing.isEnded || JSON.stringify(showing.shown) === JSON.stringify(content)) return;
    showing.shown = content;
    await this.#options.glass.set('saver', content);
  }

  readonly #warn = (error: unknown) => this.#options.log.warn({ err: error }, 'saver: could not show');
}

function close(showing: Showing): void {
  showing.isEnded = true;
  showing.cancel();
  showing.photos?.stop();
}

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** Asks an address, by the rules for those that a stranger may have named. @throws Error when it does not answer */
type AskAddress = (url: string, signal: AbortSignal) => Promise<IncomingMessage>;

/**
 * Asks an address whether the saver can show it: it answers, and does not forbid to be shown in a frame.
 * @param origin of the page that holds the frame
 * @returns why not, as half a sentence; undefined when it can
 */
async function whyNotFramed(url: string, origin: string, ask: AskAddress): Promise<string | undefined> {
  try {
    const answer = await ask(url, AbortSignal.timeout(ANSWER_MS));
    // Only its head is of interest.
    answer.destroy();
    const { statusCode = 0, headersDistinct } = answer;
    if (statusCode < 200 || statusCode > 299) return `it answers ${statusCode}`;
    const headers = new Headers(
      Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    );
    return forbidsFrames(headers, origin) ? 'it forbids frames' : undefined;
  } catch {
    return 'it does not answer, or is the panel itself';
  }
}

/** CSP level 3 section 6.4.2: where there are `frame-ancestors`, X-Frame-Options does not count. */
export function forbidsFrames(headers: Headers, origin: string): boolean {
  const policies = (headers.get('content-security-policy') ?? '').toLowerCase().split(',');
  const ancestors = policies
    .flatMap((policy) => policy.split(';'))
    .map((directive) => directive.trim().split(/\s+/))
    .filter(([name]) => name === 'frame-ancestors');
  if (ancestors.length > 0)
    return !ancestors.every(([, ...sources]) =>
      sources.some((source) => ['*', 'http:', 'http://*.localhost:*', origin].includes(source)),
    );
  return headers.has('x-frame-options');
}
