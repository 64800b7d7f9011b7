import type { Clock } from '../../../platform/clock.ts';
import type { Level, PinState } from '../contract.ts';
import type { OutputRules } from '../driver.ts';

/** The rules of a board whose profile has none. */
export const noRules: OutputRules = {
  interlock: [],
  maxOnMs: {},
  safe: {},
  safeAfterPageLost: null,
  debounceMs: 0,
};

/** The pins that are never 1 together with this one. */
export function lockedWith({ interlock }: OutputRules, pin: number): readonly number[] {
  return interlock.flatMap(([one, other]) => (one === pin ? [other] : other === pin ? [one] : []));
}

/** Whether the rules say how long this pin may be 1, or with which others. Such a pin must not stay in doubt. */
export function isWatched(rules: OutputRules, pin: number): boolean {
  return rules.maxOnMs[pin] !== undefined || lockedWith(rules, pin).length > 0;
}

/** The safe levels, each 0 before any 1: no two pins of an interlock are 1 on the way. */
export function safeLevels({ safe }: OutputRules): readonly PinState[] {
  return offFirst(levelsOf(safe));
}

/**
 * The levels at which pins rest while no service runs, each 0 before any 1: the safe ones, and 0 where a pin may be 1
 * for a time only, which nothing watches then.
 */
export function restLevels({ safe, maxOnMs }: OutputRules): readonly PinState[] {
  const off = Object.fromEntries(Object.keys(maxOnMs).map((pin) => [pin, 0 as const]));
  return offFirst(levelsOf({ ...off, ...safe }));
}

/** As they are, but each 0 before any 1. */
export function offFirst<T extends { readonly level: Level }>(levels: readonly T[]): readonly T[] {
  return [...levels].sort((one, other) => one.level - other.level);
}

function levelsOf(levels: OutputRules['safe']): PinState[] {
  return Object.entries(levels).map(([pin, level]) => ({ pin: Number(pin), level: level as Level }));
}

/** How long until pins that could not be switched off or made safe are tried again, in milliseconds. */
const AGAIN_MS = 1_000;

interface OnLimitsOptions {
  readonly maxOnMs: OutputRules['maxOnMs'];
  readonly clock: Clock;
  /** The longest time of this pin is over. */
  readonly due: (pin: number) => void;
}

/**
 * How long pins have been 1. The time runs from the first moment at which a pin may be 1 to the moment at which it is
 * known to be 0: to write 1 once more does not make it longer.
 */
export class OnLimits {
  readonly #options: OnLimitsOptions;
  readonly #running = new Map<number, { readonly endsAt: number; cancel: () => void }>();

  constructor(options: OnLimitsOptions) {
    this.#options = options;
  }

  /** The pin has this level, or may have it from now on. */
  is(pin: number, level: 0 | 1): void {
    const { maxOnMs, clock } = this.#options;
    const limit = maxOnMs[pin];
    if (limit === undefined) return;
    if (level === 1) {
      if (this.#running.has(pin)) return;
      this.#running.set(pin, { endsAt: clock.now() + limit, cancel: this.#dueAfter(pin, limit) });
      return;
    }
    this.#running.get(pin)?.cancel();
    this.#running.delete(pin);
  }

  /** Whether the longest time of this pin is over. */
  isOver(pin: number): boolean {
    return this.left(pin) <= 0;
  }

  /** For how many milliseconds this pin may be 1 from now on; Infinity without a rule. */
  left(pin: number): number {
    const { maxOnMs, clock } = this.#options;
    const running = this.#running.get(pin);
    if (running === undefined) return maxOnMs[pin] ?? Number.POSITIVE_INFINITY;
    return running.endsAt - clock.now();
  }

  /** The pin could not be switched off: `due` once more, in a second. */
  again(pin: number): void {
    const running = this.#running.get(pin);
    if (running !== undefined) running.cancel = this.#dueAfter(pin, AGAIN_MS);
  }

  stop(): void {
    for (const { cancel } of this.#running.values()) cancel();
    this.#running.clear();
  }

  #dueAfter(pin: number, ms: number): () => void {
    return this.#options.clock.after(Math.ceil(ms), () => {
      // A timer may come a fraction of a millisecond early.
      const left = this.left(pin);
      const running = this.#running.get(pin);
      if (left > 0 && running !== undefined) running.cancel = this.#dueAfter(pin, left);
      else this.#options.due(pin);
    });
  }
}

interface PageLossOptions {
  /** Seconds without the page until it counts as lost; null: it never does. */
  readonly after: number | null;
  readonly clock: Clock;
  /** The page is lost. Tried again each second while it fails. */
  readonly lost: () => Promise<void>;
}

/** Notices that the page is gone for too long; a reload that shows in time is no loss. */
export class PageLoss {
  readonly #options: PageLossOptions;
  /** Undefined while the page is shown; once it is lost, until it is shown again. */
  #cancel: (() => void) | undefined;

  constructor(options: PageLossOptions) {
    this.#options = options;
  }

  /** The page is shown, or it is not. */
  pageIs(isShown: boolean): void {
    const { after } = this.#options;
    if (isShown) this.stop();
    else if (after !== null) this.#cancel ??= this.#lostAfter(after * 1_000);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #lostAfter(ms: number): () => void {
    const { clock, lost } = this.#options;
    let isOver = false;
    const cancel = clock.after(ms, () => {
      lost().catch(() => {
        if (!isOver) this.#cancel = this.#lostAfter(AGAIN_MS);
      });
    });
    return () => {
      isOver = true;
      cancel();
    };
  }
}
