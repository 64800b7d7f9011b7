import { isDeepStrictEqual } from 'node:util';
import { inTime } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { IdleState } from '../display/contract.ts';

/** The light of the screen. */
export interface IdleScreen {
  /** @param percent a lower light than the one that is set; null: the one that is set */
  dim(percent: number | null): Promise<void>;
  /** The light is off until `light`. @param onTouch the touch that wakes, which never reaches the page */
  dark(onTouch: () => void): Promise<void>;
  light(): Promise<void>;
  /** The state has changed. */
  announce(state: IdleState): void;
}

/** What covers the page while the panel is idle. */
export interface IdleSaver {
  /** Shows the saver of the settings until `end`. A touch of it never reaches the page; it is an activity. */
  start(): Promise<void>;
  end(): Promise<void>;
}

/** The page of the panel. */
export interface IdlePage {
  /** Back to the home page; does nothing where it is shown. */
  goHome(): Promise<void>;
  /** Origins that were shown since the last call of `clear`, but the home page's own. */
  shownOrigins(): readonly string[];
  /** Deletes cookies and storage of an origin. */
  clear(origin: string): Promise<void>;
}

/** How long one step may take, in milliseconds; then the panel continues with the next. */
const LIMIT_MS = 5_000;

/** What the screen should show. */
export interface WantedView {
  readonly state: IdleState;
  /** Percent; null: as bright as it is set. */
  readonly dimTo: number | null;
  readonly saver: string | null;
}

interface IdleViewOptions {
  readonly screen: IdleScreen;
  readonly saver: IdleSaver;
  /** A touch of the dark screen. */
  readonly onTouch: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Brings the screen to the state that is wanted: one step after the other, and what was asked last wins. */
export class IdleView {
  readonly #options: IdleViewOptions;
  #wanted: WantedView = { state: 'active', dimTo: null, saver: null };
  #shown: WantedView = this.#wanted;
  #work: Promise<void> | undefined;

  constructor(options: IdleViewOptions) {
    this.#options = options;
  }

  /** What is wanted, which the screen shows a moment later. */
  get state(): IdleState {
    return this.#wanted.state;
  }

  /** Resolves once the screen shows it, or something newer. Never fails. */
  show(wanted: WantedView): Promise<void> {
    const before = this.#wanted.state;
    this.#wanted = wanted;
    if (wanted.state !== before) this.#options.screen.announce(wanted.state);
    return this.settled();
  }

  /** Resolves once the screen shows what is wanted. */
  settled(): Promise<void> {
    if (this.#work === undefined && isDeepStrictEqual(this.#shown, this.#wanted)) return Promise.resolve();
    this.#work ??= this.#settle().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  async #settle(): Promise<void> {
    while (!isDeepStrictEqual(this.#shown, this.#wanted)) {
      const before = this.#shown;
      const next = this.#wanted;
      this.#shown = next;
      await this.#bring(before, next);
    }
  }

  /** Under a dark screen the saver ends unseen, and the light comes back only when all else is ready. */
  async #bring(before: WantedView, next: WantedView): Promise<void> {
    const { screen, saver, onTouch } = this.#options;
    if (next.state === 'off' && before.state !== 'off') await this.#step(() => screen.dark(onTouch));
    if (next.saver !== before.saver) {
      const isOver = next.saver === null;
      await this.#step(() => (isOver ? saver.end() : saver.start()));
    }
    if (next.dimTo !== before.dimTo) await this.#step(() => screen.dim(next.dimTo));
    if (next.state !== 'off' && before.state === 'off') await this.#step(() => screen.light());
  }

  async #step(work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await inTime(clock, LIMIT_MS, work());
    } catch (error) {
      log.error({ err: error }, 'idle: could not change the screen');
    }
  }
}
