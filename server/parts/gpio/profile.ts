import { z } from 'zod';
import { defineProfile, devicePath } from '../profile.ts';
import { MAX_PINS } from './contract.ts';
import { type BoardPin, type GpioDriver, type OutputRules, SimulatedGpio } from './driver.ts';
import { GpioChip } from './gpioChip.ts';
import { GpioControl } from './gpioControl.ts';

/** Numbers of the pins as keys of an object. */
const pinKey = z.enum(Array.from({ length: MAX_PINS }, (_, pin) => String(pin)));

/** Pins of a part that declares none: those of the shipped panels. */
const USUAL_PINS = 4;
/** The relays among them. */
const USUAL_RELAYS = [2, 3];

/** Which pins a board has, the same for every driver. */
const pinFields = {
  labels: z
    .array(z.string().min(1).max(80))
    .max(MAX_PINS)
    .optional()
    .describe('the text beside the connectors, by pin: as many labels, as many pins; default: four pins'),
  relays: z
    .array(z.int().min(0))
    .max(MAX_PINS)
    .optional()
    .describe(
      'the pins that are relays, such as [2, 3]; the others are inputs and outputs. Left out: 2 and 3, or the outputs of a gpiochip that has not four lines',
    ),
};

/** What of a profile says how many pins there are, and which of them are relays. */
interface DeclaredPins {
  readonly labels?: readonly string[] | undefined;
  readonly relays?: readonly number[] | undefined;
  readonly lines?: readonly { readonly direction: 'input' | 'output' | 'both' }[] | undefined;
  readonly safe?: OutputRules['safe'] | undefined;
  readonly maxOnMs?: OutputRules['maxOnMs'] | undefined;
  readonly safeLevels?: OutputRules['safe'] | undefined;
}

/** The pins of a part, by number. Those without a label are counted as a shipped panel counts them: IO 1, Relay 1. */
export function pinsOf(part: DeclaredPins): BoardPin[] {
  const relays = relaysOf(part);
  const counts = { io: 0, relay: 0 };
  return Array.from({ length: pinCount(part) }, (_, pin) => {
    const kind = relays.includes(pin) ? 'relay' : 'io';
    const count = ++counts[kind];
    return { kind, label: part.labels?.[pin] ?? `${kind === 'relay' ? 'Relay' : 'IO'} ${count}` };
  });
}

/** @returns why there is no such pin; undefined when there is one */
function noSuchPin(part: DeclaredPins, pin: number): string | undefined {
  const count = pinCount(part);
  if (pin >= 0 && pin < count) return undefined;
  return `there is no pin ${pin}: ${count === 0 ? 'the board has none' : `pins are 0 to ${count - 1}`}`;
}

/** Refuses numbers of pins that the part does not have. */
function checkPins(part: DeclaredPins, refuse: (path: (string | number)[], message: string) => void): void {
  const { labels, lines, relays = [] } = part;
  if (labels !== undefined && lines !== undefined && labels.length !== lines.length)
    refuse(['labels'], `must be as many as lines: ${lines.length}`);
  for (const [index, pin] of relays.entries()) {
    const strange = noSuchPin(part, pin);
    if (strange !== undefined) refuse(['relays', index], strange);
    else if (relays.indexOf(pin) < index) refuse(['relays', index], `pin ${pin} stands here twice`);
    else if (lines?.[pin]?.direction === 'input') refuse(['relays', index], `pin ${pin} is an input`);
  }
  for (const key of ['safe', 'maxOnMs', 'safeLevels'] as const)
    for (const pin of Object.keys(part[key] ?? {})) {
      const strange = noSuchPin(part, Number(pin));
      if (strange !== undefined) refuse([key, pin], strange);
    }
}

function pinCount({ labels, lines }: DeclaredPins): number {
  return lines?.length ?? labels?.length ?? USUAL_PINS;
}

function relaysOf({ relays, lines }: DeclaredPins): readonly number[] {
  if (relays !== undefined) return relays;
  if (lines === undefined || lines.length === USUAL_PINS) return USUAL_RELAYS;
  return lines.flatMap(({ direction }, pin) => (direction === 'output' ? [pin] : []));
}

const level = z.union([z.literal(0), z.literal(1)], 'must be 0 or 1');

/** The rules of outputs in a board profile, the same for every driver. */
const outputFields = {
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
function checkOutputs(part: RuledPins, context: z.RefinementCtx): void {
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

const gpioControl = z.strictObject({
  driver: z.literal('gpio_control'),
  path: devicePath.describe('the vendor’s node'),
  ...pinFields,
  ...outputFields,
  safeLevels: z
    .partialRecord(pinKey, level)
    .default({})
    .describe('the older name of safe: by pin number, driven at start and at stop'),
});

const line = z
  .strictObject({
    offset: z.int().min(0).max(65_535).optional().describe('which line of the chip; or name'),
    name: z.string().min(1).max(31).optional().describe('which line of the chip, by its name; or offset'),
    direction: z.enum(['input', 'output', 'both']).describe('both: an input until it is written'),
    activeLow: z.boolean().optional().describe('level 1 is the low voltage'),
    bias: z.enum(['pull-up', 'pull-down', 'disabled']).optional().describe('left out: as the board has it'),
    drive: z.enum(['push-pull', 'open-drain', 'open-source']).optional().describe('of outputs'),
    initial: level.optional().describe('of outputs: the level from the start on; 0 when left out'),
    safeLevel: level.optional().describe('of outputs: the older way to give one pin its level of safe'),
  })
  .superRefine((value, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (value.offset === undefined && value.name === undefined) {
      refuse('offset', 'must be given, or name instead');
    }
    if (value.offset !== undefined && value.name !== undefined) {
      refuse('name', 'must not stand beside offset: a line is given by one of them');
    }
    if (value.direction === 'input' && value.drive !== undefined) refuse('drive', 'is for outputs only');
    for (const key of ['initial', 'safeLevel'] as const) {
      if (value.direction !== 'output' && value[key] !== undefined)
        refuse(key, 'is for direction output only');
    }
    if (value.initial !== undefined && value.safeLevel !== undefined) {
      refuse('initial', 'must not stand beside safeLevel, which is driven at start too');
    }
  });

const gpioChip = z.strictObject({
  driver: z.literal('gpiochip'),
  path: devicePath.describe('the chip, such as /dev/gpiochip0'),
  ...pinFields,
  ...outputFields,
  lines: z.array(line).max(MAX_PINS).describe('the lines of the chip, by pin'),
});

const gpioRow = z
  .discriminatedUnion('driver', [
    z.strictObject({ driver: z.literal('simulated'), ...pinFields, ...outputFields }),
    gpioControl,
    gpioChip,
  ])
  .superRefine(checkOutputs);

/** The pins and relays of a board. */
export const gpioProfile = defineProfile({
  row: gpioRow.optional(),
  driver(row, { deviceIo, eventIo, clock, log }): GpioDriver | null {
    if (row === undefined) return null;
    const safeLevels = restLevelsOf(row);
    const pins = pinsOf(row);
    switch (row.driver) {
      case 'simulated':
        return new SimulatedGpio(safeLevels, pins.length);
      case 'gpio_control':
        return new GpioControl({
          path: row.path,
          inputs: pins.flatMap(({ kind }, pin) => (kind === 'io' ? [pin] : [])),
          safeLevels,
          io: deviceIo,
          clock,
          log,
        });
      case 'gpiochip': {
        const lines = row.lines.map((line, pin) => ({ ...line, safeLevel: safeLevels[pin] }));
        const { path, debounceMs } = row;
        return new GpioChip({ path, lines, debounceMs, io: eventIo, clock, log });
      }
    }
  },
});
