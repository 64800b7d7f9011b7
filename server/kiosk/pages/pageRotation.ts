import type { Clock } from '../../platform/clock.ts';

/** How long a touch, or a call that shows the home page, pauses the rotation, in milliseconds. */
const HOLD_MS = 60_000;

interface PageRotationOptions {
  readonly clock: Clock;
  /** The time of day. */
  readonly date?: () => Date;
  /** The pages that take turns, as they are now; none: the panel rests at its home page. */
  turns(): readonly Turn[];
  /** Something else is to be shown now: `url`, or null for the home page. */
  onWanted(url: string | null): void;
}

/** What the panel should show: `url` null is the home page. */
interface Wanted {
  readonly url: string | null;
  /** When the panel returns home by itself, by the steady clock and as a time of day; null: it stays. */
  readonly end: { readonly at: number; readonly time: string } | null;
}

/**
 * Decides which page the panel shows: its home page or the rotation, until a caller asks for another one. It keeps
 * nothing over a restart of the service, which therefore begins at home; a restart of the browser does not touch it.
 */
export class PageRotation {
  readonly #options: PageRotationOptions;
  #wanted: Wanted = { url: null, end: null };
  /** Place in the rotation while it runs, or waits for its next turn. */
  #turn: { index: number; endsAt: number } | undefined;
  #cancel = (): void => {};

  constructor(options: PageRotationOptions) {
    this.#options = options;
  }

  /** What is wanted now; null for the home page. */
  get url(): string | null {
    return this.#wanted.url;
  }

  get isHome(): boolean {
    return this.#wanted.url === null;
  }

  /** When the panel returns to its home page by itself, ISO 8601; null: it stays. */
  get until(): string | null {
    return this.#wanted.end?.time ?? null;
  }

  /** Whether the rotation runs, or continues soon. */
  get isRotating(): boolean {
    return this.#turn !== undefined;
  }

  /** What the panel shows by itself: the first page of the rotation, or its home page. */
  rest(): void {
    const [first] = this.#options.turns();
    if (first === undefined) this.#enter({ url: null, end: null });
    else this.#take(0);
  }

  /** Shows a page. @param seconds then home again; undefined: it stays */
  show(url: string, seconds?: number): void {
    const { clock, date = () => new Date() } = this.#options;
    this.#turn = undefined;
    const ms = (seconds ?? 0) * 1_000;
    const end =
      seconds === undefined
        ? null
        : { at: clock.now() + ms, time: new Date(date().getTime() + ms).toISOString() };
    this.#enter({ url, end });
    if (end !== null) this.#cancel = clock.after(ms, () => this.rest());
  }

  /** Shows the home page; a rotation continues after a minute. */
  home(): void {
    this.#enter({ url: null, end: null });
    if (this.#options.turns().length === 0) this.#turn = undefined;
    else this.#waitFor(-1, HOLD_MS);
  }

  /** A person uses the panel: the rotation stays on its page for a minute. */
  touched(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const left = turn.endsAt - this.#options.clock.now();
    if (left < HOLD_MS) this.#waitFor(turn.index, HOLD_MS);
  }

  stop(): void {
    this.#cancel();
    this.#cancel = () => {};
    this.#turn = undefined;
  }

  #enter(wanted: Wanted): void {
    this.#cancel();
    this.#cancel = () => {};
    this.#wanted = wanted;
    this.#options.onWanted(wanted.url);
  }

  #take(index: number): void {
    const turns = this.#options.turns();
    const turn = turns[index % Math.max(turns.length, 1)];
    if (turn === undefined) {
      this.rest();
      return;
    }
    const isNew = turns.length > 1 || this.#turn === undefined;
    this.#turn = undefined;
    if (isNew || this.#wanted.url !== turn.url) this.#enter({ url: turn.url, end: null });
    this.#waitFor(index % turns.length, turn.ms);
  }

  #waitFor(index: number, ms: number): void {
    const { clock } = this.#options;
    this.#cancel();
    this.#turn = { index, endsAt: clock.now() + ms };
    this.#cancel = clock.after(ms, () => this.#take(index + 1));
  }
}

/** An entry of `kiosk.pages`. */
export interface NamedPage {
  readonly name: string;
  readonly url: string;
  /** For how long it is shown in the rotation; without it, it is no part of the rotation. */
  readonly seconds?: number | undefined;
}

/** A page of the rotation. */
export interface Turn {
  /** null: the home page. */
  readonly url: string | null;
  readonly ms: number;
}

/**
 * The pages that take turns by themselves, in the order of the list; empty: there is no rotation.
 * @param home its address; an entry with it is the home page itself
 */
export function turnsOf(pages: readonly NamedPage[], home: string): Turn[] {
  return pages.flatMap(({ url, seconds }) =>
    seconds === undefined ? [] : [{ url: new URL(url).href === home ? null : url, ms: seconds * 1_000 }],
  );
}
