import type { Level, PinState } from './contract.ts';
import type { OutputRules } from './driver.ts';

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
 * for a time only, which nobody watches then.
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
