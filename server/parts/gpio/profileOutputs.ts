import { z } from 'zod';
import type { OutputRules } from './driver.ts';
import { checkPins, type DeclaredPins, noSuchPin, pinKey } from './profilePins.ts';

export const level = z.union([z.literal(0), z.literal(1)], 'must be 0 or 1');

/** The rules of outputs in a board profile, the same for every driver. */
export const outputFields = {
  interlock: z
    .array(z.tuple([z.int(), z.int()], 'must be a pair of pins, such as [2, 3]'))
    .max(64)
    .optional()
    .describe(
      'pairs of pins, such as [[2, 3]], that are never 1 together; the second is refused with LOCKED_OUT',
    ),
  maxOnMs: z
    .partialRecord(pinKey, z.int().min(10).max(86_400_000))
    .optional()
    .describe('by pin: longest time at level 1, in milliseconds; such a pin rests at 0'),
  safe: z
    .partialRecord(pinKey, level)
    .optional()
    .describe('by pin: the level at start, at stop and when the page is lost'),
  safeAfterPageLost: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe('seconds without the page until the safe levels are driven; left out: never'),
  debounceMs: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe('how long an input has to keep a level until it counts, in milliseconds'),
};

/** What of a profile's pins the rules are made from: the fields above, and the older ones beside them. */
interface RuledPins extends DeclaredPins {
  readonly interlock?: readonly (readonly [number, number])[] | undefined;
  readonly maxOnMs?: OutputRules['maxOnMs'] | undefined;
  readonly safe?: OutputRules['safe'] | undefined;
  readonly safeAfterPageLost?: number | undefined;
  readonly debounceMs?: number | undefined;
  readonly safeLevels?: OutputRules['safe'] | undefined;
  readonly lines?:
    | readonly {
        readonly direction: 'input' | 'output' | 'both';
        readonly initial?: 0 | 1 | undefined;
        readonly safeLevel?: 0 | 1 | undefined;
      }[]
    | undefined;
}

/** The rules that a profile gives, with the older safe levels among its `safe`. */
export function outputRulesOf(part: RuledPins): OutputRules {
  const { interlock = [], maxOnMs = {}, safe = {}, safeAfterPageLost = null, debounceMs = 0 } = part;
  return { interlock, maxOnMs, safe: { ...olderSafe(part), ...safe }, safeAfterPageLost, debounceMs };
}

/** By pin: the level of each pin that the driver drives from the start on. */
function startLevels(part: RuledPins): OutputRules['safe'] {
  const { safe, maxOnMs } = outputRulesOf(part);
  const initial = Object.fromEntries(
    (part.lines ?? []).flatMap(({ direction, initial = 0 }, pin) =>
      direction === 'output' ? [[pin, initial] as const] : [],
    ),
  );
  const off = Object.fromEntries(Object.keys(maxOnMs).map((pin) => [pin, 0 as const]));
  return { ...initial, ...off, ...safe };
}

/** By pin: the level at which the driver leaves each pin when no service runs. */
export function restLevelsOf(part: RuledPins): OutputRules['safe'] {
  const { safe, maxOnMs } = outputRulesOf(part);
  const off = Object.fromEntries(Object.keys(maxOnMs).map((pin) => [pin, 0 as const]));
  return { ...off, ...safe };
}

function olderSafe({ safeLevels = {}, lines = [] }: RuledPins): OutputRules['safe'] {
  const ofLines = lines.flatMap(({ safeLevel }, pin) =>
    safeLevel === undefined ? [] : [[pin, safeLevel] as const],
  );
  return { ...safeLevels, ...Object.fromEntries(ofLines) };
}

/** Refuses rules that contradict each other, or name pins that they cannot be for. */
export function checkOutputs(part: RuledPins, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  checkPins(part, refuse);
  checkInterlock(part, refuse);
  const { safe = {}, maxOnMs = {}, lines = [] } = part;
  const older = olderSafe(part);
  for (const [pin, safeLevel] of Object.entries(safe)) {
    const direction = lines[Number(pin)]?.direction;
    if (direction !== undefined && direction !== 'output')
      refuse(['safe', pin], `pin ${pin} must have direction output, for its safe level is driven at start`);
    if (older[Number(pin)] !== undefined)
      refuse(['safe', pin], `pin ${pin} has an older safeLevel beside it: give one of them`);
    if (safeLevel === 1 && lines[Number(pin)]?.initial === 0)
      refuse(['safe', pin], `pin ${pin} cannot start at its safe level 1 and at initial 0`);
    if (safeLevel === 0 && lines[Number(pin)]?.initial === 1)
      refuse(['safe', pin], `pin ${pin} cannot start at its safe level 0 and at initial 1`);
  }
  for (const pin of Object.keys(maxOnMs).map(Number)) {
    if (lines[pin]?.direction === 'input') refuse(['maxOnMs', pin], `pin ${pin} is an input`);
    if (outputRulesOf(part).safe[pin] === 1)
      refuse(['maxOnMs', pin], `pin ${pin} cannot rest at its safe level 1 and be 1 for a time only`);
    if (lines[pin]?.initial === 1)
      refuse(['maxOnMs', pin], `pin ${pin} cannot start at initial 1 and be 1 for a time only`);
  }
  if (part.safeAfterPageLost !== undefined && Object.keys(outputRulesOf(part).safe).length === 0)
    refuse(['safeAfterPageLost'], 'needs safe: there is no level to drive when the page is lost');
}

function checkInterlock(part: RuledPins, refuse: (path: (string | number)[], message: string) => void): void {
  const start = startLevels(part);
  const seen = new Set<string>();
  for (const [index, pair] of (part.interlock ?? []).entries()) {
    const place = ['interlock', index];
    const strange = pair.map((pin) => noSuchPin(part, pin)).find((mistake) => mistake !== undefined);
    if (strange !== undefined) {
      refuse(place, strange);
      continue;
    }
    const [one, other] = pair;
    if (one === other) {
      refuse(place, `pin ${one} cannot be locked with itself`);
      continue;
    }
    const key = [...pair].sort().join();
    if (seen.has(key)) refuse(place, `pins ${one} and ${other} stand here twice`);
    seen.add(key);
    const input = pair.find((pin) => part.lines?.[pin]?.direction === 'input');
    if (input !== undefined) refuse(place, `pin ${input} is an input: nothing switches it off`);
    for (const [on, off] of [
      [one, other],
      [other, one],
    ] as const) {
      if (start[on] === 1 && start[off] !== 0)
        refuse(
          place,
          `pin ${on} starts at 1, so pin ${off}, which is never 1 together with it, must have the safe level 0`,
        );
    }
  }
}
