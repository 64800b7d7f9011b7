import { inflateSync } from 'node:zlib';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { PageState } from '../contract.ts';
import { RepeatedCheck } from './maintenance.ts';

const EVERY_MS = 15_000;
/** How long a page may look dead, in milliseconds. */
const DEAD_MS = 60_000;

export interface DeadPageWatch {
  /** The page to look at, or undefined while no page should be visible. */
  page(): { hasVisibleContent(): Promise<boolean>; screenshot(): Promise<Uint8Array> } | undefined;
  /** The page looked dead for a minute. `attempt` is 1 at first, and grows while nothing helps. */
  onDead(attempt: number): void;
}

/**
 * Finds a page that is alive but shows nothing: its document has visible text or pictures, but the frame has one
 * colour. A stuck graphics driver leaves no other trace.
 */
export class DeadPageCheck {
  readonly #clock: Clock;
  readonly #watch: DeadPageWatch;
  readonly #checks: RepeatedCheck;
  #deadSince: number | undefined;
  #attempts = 0;

  constructor(clock: Clock, watch: DeadPageWatch) {
    this.#clock = clock;
    this.#watch = watch;
    this.#checks = new RepeatedCheck(clock, EVERY_MS, () => this.#look());
  }

  start(): void {
    this.#checks.start();
  }

  stop(): void {
    this.#checks.stop();
    this.#deadSince = undefined;
    this.#attempts = 0;
  }

  async #look(): Promise<void> {
    const page = this.#watch.page();
    // A page that does not answer has another fault, which is noticed elsewhere.
    const state = page && (await looksDead(page).catch(() => undefined));
    if (!this.#checks.isOn) return;
    if (state !== true) {
      this.#deadSince = undefined;
      if (state === false) this.#attempts = 0;
      return;
    }
    this.#deadSince ??= this.#clock.now();
    if (this.#clock.now() - this.#deadSince < DEAD_MS) return;
    this.#deadSince = undefined;
    this.#watch.onDead(++this.#attempts);
  }
}

/** What keeps a page from working. `refused`: its server answered with an error. `script`: one of its own is missing. */
export type PageFault = 'refused' | 'script' | 'exception';

/** How long a page has to be broken before it is tried again, in milliseconds. */
const BROKEN_MS = 10_000;
/** A page that its server refuses waits so long for the second try: the answer was clear. */
const REFUSED_MS = 60_000;
/** How long the waiting page is shown at first and at most. */
const REST_MS = 30_000;
const LONGEST_REST_MS = 10 * 60_000;
/** A page that was shown so long works: what was tried for it is forgotten. */
const WELL_MS = 60_000;
/** Of so many pages it is known what was tried. */
const PAGES = 20;

interface BrokenPageOptions {
  readonly clock: Clock;
  readonly log: Logger;
  state(): Pick<PageState, 'url' | 'state'>;
  fault(): PageFault | undefined;
  /** Whether the page holds anything that can be seen; true too while it cannot be asked. */
  hasContent(): Promise<boolean>;
  /** Loads the page again without the browser's cache. */
  reload(): Promise<void>;
  /** @see KioskHost.clearCaches */
  clearCaches(origin: string): Promise<void>;
  /** The page is tried again. */
  onTry(): void;
  /** Shows the waiting page for so long. */
  rest(ms: number): void;
}

/**
 * A page that came and does not start, as an old index.html from a cache that names scripts which are gone: it is loaded
 * again without the browser's cache, then without its service workers and what they store, then waited for behind the
 * waiting page with growing pauses. One that has something to show stays after two tries.
 */
export class BrokenPage {
  readonly #options: BrokenPageOptions;
  readonly #tries = new Map<string, number>();
  #cancel: (() => void) | undefined;
  #isTrying = false;
  #hasStopped = false;
  #well: { readonly url: string; readonly since: number } | undefined;

  constructor(options: BrokenPageOptions) {
    this.#options = options;
  }

  /** Something of the page's state has changed. */
  follow(): void {
    if (this.#hasStopped) return;
    const { clock, fault: ask } = this.#options;
    const { url, state } = this.#options.state();
    if (state === 'shown') this.#well ??= { url, since: clock.now() };
    else if (this.#well !== undefined) {
      if (clock.now() - this.#well.since >= WELL_MS) this.#tries.delete(this.#well.url);
      this.#well = undefined;
    }
    const fault = ask();
    const tries = this.#tries.get(url) ?? 0;
    if (fault === undefined) this.#drop();
    else if (!this.#isTrying && (fault !== 'refused' || tries < 2))
      this.#cancel ??= clock.after(fault === 'refused' && tries > 0 ? REFUSED_MS : BROKEN_MS, () => {
        this.#cancel = undefined;
        void this.#tryOnce(url, tries);
      });
  }

  stop(): void {
    this.#hasStopped = true;
    this.#drop();
  }

  #drop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #tryOnce(url: string, tries: number): Promise<void> {
    this.#isTrying = true;
    await this.#try(url, tries).catch((error: unknown) =>
      this.#options.log.debug({ err: error }, 'kiosk: could not try the page again'),
    );
    this.#isTrying = false;
    this.follow();
  }

  async #try(url: string, tries: number): Promise<void> {
    const { log, state, fault, hasContent, reload, clearCaches, onTry, rest } = this.#options;
    const isStill = () => fault() !== undefined && state().url === url;
    const why = fault();
    if (tries > 1 && why !== 'script' && (await hasContent())) return;
    if (!isStill()) return;
    if (this.#tries.size >= PAGES) this.#tries.delete([...this.#tries.keys()][0]!);
    this.#tries.set(url, tries + 1);
    onTry();
    log.warn({ page: url, why, tries: tries + 1 }, 'kiosk: the page does not start, trying it again');
    if (tries > 0) await clearCaches(new URL(url).origin);
    if (!isStill()) return;
    if (tries < 2) await reload();
    else rest(Math.min(REST_MS * 2 ** Math.min(tries - 2, 10), LONGEST_REST_MS));
  }
}

async function looksDead(page: NonNullable<ReturnType<DeadPageWatch['page']>>): Promise<boolean> {
  return (await page.hasVisibleContent()) && isOneColour(await page.screenshot());
}

/**
 * An expression for a page: whether its document has text or pictures that nothing covers. A canvas or a video may well
 * have one colour, and text in the colour of its background is invisible, so these do not count.
 */
export const VISIBLE_CONTENT = `(() => {
  const CLEAR = /^(transparent|rgba\\(.*, 0\\))$/;
  const stands = (element) => {
    const colour = getComputedStyle(element).color;
    if (CLEAR.test(colour)) return false;
    for (let ground = element; ground !== null; ground = ground.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(ground);
      if (backgroundImage !== 'none') return true;
      if (!CLEAR.test(backgroundColor)) return backgroundColor !== colour;
    }
    return colour !== 'rgb(255, 255, 255)';
  };
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
  return [...document.querySelectorAll('body *')].slice(0, 5000).some((element) => {
    const isPicture = element.localName === 'img' && element.naturalWidth > 0;
    if (!isPicture && !([...element.childNodes].some(isText) && stands(element))) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top !== null && element.contains(top);
  });
})()`;

/**
 * An expression for a page: the text of its document and how many pictures, videos and canvases it has, also in open
 * shadow roots; empty when there is none of them. Two answers differ when the page shows something else.
 */
export const PAGE_CONTENT = `(() => {
  const roots = [document];
  let text = String(document.body?.innerText ?? '').trim();
  let pictures = 0;
  for (let i = 0; i < roots.length && i < 200; i++) {
    for (const element of [...roots[i].querySelectorAll('*')].slice(0, 5000)) {
      const { localName, shadowRoot } = element;
      if (shadowRoot) {
        roots.push(shadowRoot);
        for (const child of shadowRoot.children) if (child.localName !== 'style') text += child.innerText?.trim() ?? '';
      }
      if (/^(video|canvas|svg)$/.test(localName) || (localName === 'img' && element.naturalWidth > 0)) pictures++;
    }
  }
  return text === '' && pictures === 0 ? '' : pictures + ' ' + text.slice(0, 2000);
})()`;

const SIGNATURE_BYTES = 8;
/** One colour takes a hundredth of its bytes or less; a small picture takes more, for tables. */
const LEAST_PACKED = 1 / 32;
const SMALL_BYTES = 4 * 1024;

/**
 * Whether all pixels of a screenshot are the same. Made for what browsers write: 8 bits per channel, RGB or RGBA, not
 * interlaced (PNG specification, third edition); anything else counts as a picture. What is too large for one colour is not
 * unpacked: four megabytes every 15 s are work for the garbage collector.
 */
export function isOneColour(png: Uint8Array): boolean {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [depth, colourType, , , interlaced] = file.subarray(24, 29);
  const channels = colourType === 6 ? 4 : 3;
  if (depth !== 8 || (colourType !== 2 && colourType !== 6) || interlaced !== 0) return false;
  const stride = width * channels;
  const bytes = height * (stride + 1);
  if (file.length > SMALL_BYTES && file.length > bytes * LEAST_PACKED) return false;
  const rows = inflateSync(Buffer.concat([...dataChunks(file)]), { maxOutputLength: bytes });
  let above: Uint8Array = new Uint8Array(stride);
  let first: Uint8Array | undefined;
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = rows.subarray(start + 1, start + 1 + stride);
    unfilter(rows[start]!, row, above, channels);
    first ??= row.slice(0, channels);
    for (let i = 0; i < stride; i++) if (row[i] !== first[i % channels]) return false;
    above = row;
  }
  return true;
}

function* dataChunks(file: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE_BYTES; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') yield file.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}

/** PNG section 9, "Filtering": each byte is stored as its difference from a prediction. */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, channels: number): void {
  if (type === 0) return;
  for (let i = 0; i < row.length; i++) {
    const left = i < channels ? 0 : row[i - channels]!;
    const corner = i < channels ? 0 : above[i - channels]!;
    row[i] = row[i]! + predict(type, left, above[i]!, corner);
  }
}

function predict(type: number, left: number, above: number, corner: number): number {
  if (type === 1) return left;
  if (type === 2) return above;
  if (type === 3) return (left + above) >> 1;
  const [toLeft, toAbove, toCorner] = [above - corner, left - corner, left + above - 2 * corner].map(
    Math.abs,
  );
  if (toLeft! <= toAbove! && toLeft! <= toCorner!) return left;
  return toAbove! <= toCorner! ? above : corner;
}
