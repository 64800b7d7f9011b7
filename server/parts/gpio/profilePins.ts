import { z } from 'zod';
import { MAX_PINS } from './contract.ts';
import type { BoardPin, OutputRules } from './driver.ts';

/** Numbers of the pins as keys of an object. */
export const pinKey = z.enum(Array.from({ length: MAX_PINS }, (_, pin) => String(pin)));

/** Pins of a part that declares none: those of the shipped panels. */
const USUAL_PINS = 4;
/** The relays among them. */
const USUAL_RELAYS = [2, 3];

/** Which pins a board has, the same for every driver. */
export const pinFields = {
  labels: z
    .array(z.string().min(1).max(80))
    .max(MAX_PINS)
    .optional()
    .describe('what stands beside the connectors, by pin: as many labels, as many pins; left out: four pins'),
  relays: z
    .array(z.int().min(0))
    .max(MAX_PINS)
    .optional()
    .describe(
      'the pins that are relays, such as [2, 3]; the others are inputs and outputs. Left out: 2 and 3, or the outputs of a gpiochip that has not four lines',
    ),
};

/** What of a profile says how many pins there are, and which of them are relays. */
export interface DeclaredPins {
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
export function noSuchPin(part: DeclaredPins, pin: number): string | undefined {
  const count = pinCount(part);
  if (pin >= 0 && pin < count) return undefined;
  return `there is no pin ${pin}: ${count === 0 ? 'the board has none' : `pins are 0 to ${count - 1}`}`;
}

/** Refuses numbers of pins that the part does not have. */
export function checkPins(
  part: DeclaredPins,
  refuse: (path: (string | number)[], message: string) => void,
): void {
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
