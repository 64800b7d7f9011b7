import { z } from 'zod';
import { defineProfile, devicePath } from '../profile.ts';
import { MAX_PINS } from './contract.ts';
import type { GpioDriver } from './driver.ts';
import { GpioChip } from './gpioChip.ts';
import { GpioControl } from './gpioControl.ts';
import { checkOutputs, level, outputFields, restLevelsOf } from './profileOutputs.ts';
import { pinFields, pinKey, pinsOf } from './profilePins.ts';
import { SimulatedGpio } from './simulated.ts';

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
