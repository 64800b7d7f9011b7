import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams, queryInteger } from '../../contract/fields.ts';

/** The most pins that a board may have. */
export const MAX_PINS = 32;

/** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels. A pin that the board lacks is refused by the service. */
export const pinField = z
  .int()
  .min(0)
  .max(MAX_PINS - 1)
  .describe(
    '0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others',
  );
/** 1 = HIGH or CLOSED, 0 = LOW or OPEN. */
export const levelField = z
  .union([z.literal(0), z.literal(1)])
  .describe('1 = HIGH or CLOSED, 0 = LOW or OPEN');

const pinState = z.strictObject({ pin: pinField, level: levelField });
export type PinState = z.infer<typeof pinState>;
export type Level = z.infer<typeof levelField>;

const pinResult = z.strictObject({
  status: z.literal('ok'),
  pin: pinField,
  level: levelField,
  ok: z.literal(true),
});
const pinFacts = z.strictObject({
  pin: pinField,
  label: z.string().describe('the text beside the connector'),
  kind: z.enum(['io', 'relay']),
  level: levelField.nullable().describe('null: it could not be read yet'),
  since: z.iso.datetime().nullable().describe('last change since the start; null: none'),
  edges: z.int().min(0).describe('changes since the start'),
  pulseUntil: z.iso.datetime().nullable(),
  lockedBy: pinField.nullable().describe('the pin whose level forbids level 1 here'),
});
export type PinFacts = z.infer<typeof pinFacts>;

/** How many edges one answer holds at most, and unless another number is asked for. */
export const EDGE_LIMITS = { most: 1_000, usual: 100 } as const;

const pinEdge = z.strictObject({
  time: z.iso.datetime(),
  ...pinState.shape,
  count: z
    .int()
    .min(1)
    .describe('changes that it stands for: more than 1 where some came too fast to be heard'),
  written: z.boolean().describe('the panel has written it; false: it came from outside'),
});
export type PinEdge = z.infer<typeof pinEdge>;

const storedLine = z.strictObject({
  offset: z.int().min(0).optional(),
  name: z.string().optional(),
  activeLow: z.boolean().optional(),
  bias: z.enum(['pull-up', 'pull-down', 'disabled']).optional(),
  drive: z.enum(['push-pull', 'open-drain', 'open-source']).optional(),
});
const pinWiring = z.discriminatedUnion('driver', [
  z.strictObject({ driver: z.literal('gpio_control'), path: z.string() }),
  z.strictObject({ driver: z.literal('gpiochip'), path: z.string(), lines: z.array(storedLine) }),
]);
/** How pins are reached: all that a program has to know to drive them. */
export type PinWiring = z.infer<typeof pinWiring>;

/**
 * What is stored of the outputs, so that they can be made safe when the service was killed: `rest` holds the levels at
 * which pins rest while no service runs, `pulses` the levels that end the pulses under way.
 */
export const outputRecords = z.strictObject({
  wiring: pinWiring.nullable(),
  rest: z.array(pinState),
  pulses: z.array(z.strictObject({ pin: pinField, back: levelField })),
});
export type OutputRecords = z.infer<typeof outputRecords>;

const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT'] as const;

/** Its events. */
export const gpioEvents = {
  gpio: pinState,
};
/** Their use on a broker. */
export const gpioBroker = {
  gpio: { stateBy: 'pin' },
} as const;
/** The states that a new listener gets first. */
export const gpioSnapshot = {
  gpio: z.array(pinState),
};

export const gpioCommands = {
  'gpio.write': defineCommand({
    summary: 'Drive a pin or relay; the level is read back.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: pinState,
    result: pinResult,
    errors: [...errors, 'LOCKED_OUT'],
    http: { method: 'POST', path: '/api/remote/gpio/write' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'write' }],
  }),
  'gpio.read': defineCommand({
    summary: 'Read the level of a pin or relay.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z.strictObject({ pin: pinField }),
    result: pinResult,
    errors,
    http: { method: 'POST', path: '/api/remote/gpio/read' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'read' }],
  }),
  'gpio.list': defineCommand({
    summary: 'All pins and relays, with label, level and last change.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ pins: z.array(pinFacts) }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'GET', path: '/api/remote/gpio' },
  }),
  'gpio.edges': defineCommand({
    summary: 'The last edges of all pins and relays since the start, at most 250 of each; newest first.',
    access: { scope: 'view', http: 'token' },
    params: z.strictObject({
      limit: queryInteger(1, EDGE_LIMITS.most).default(EDGE_LIMITS.usual),
    }),
    result: z.strictObject({
      edges: z.array(pinEdge),
      since: z.iso.datetime().describe('when the service began to listen'),
      until: z.iso.datetime().describe("when it was asked, by the panel's clock"),
    }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'GET', path: '/api/remote/gpio/edges', query: ['limit'] },
  }),
  'gpio.pulse': defineCommand({
    summary: 'Drive a pin for a time, then back to the level it had; answered when it begins.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({
      ...pinState.shape,
      ms: z.int().min(10).max(3_600_000).describe('length in milliseconds'),
    }),
    result: z.strictObject({
      status: z.literal('ok'),
      ...pinState.shape,
      until: z.iso.datetime(),
    }),
    errors: [...errors, 'LOCKED_OUT', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/remote/gpio/pulse' },
  }),
};
