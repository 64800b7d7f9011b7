import { z } from 'zod';
import { defineCommand } from './command.ts';

/** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2. */
export const pinField = z.int().min(0).max(3).describe('0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2');
/** 1 = HIGH or CLOSED, 0 = LOW or OPEN. */
export const levelField = z
  .union([z.literal(0), z.literal(1)])
  .describe('1 = HIGH or CLOSED, 0 = LOW or OPEN');

export const pinState = z.strictObject({ pin: pinField, level: levelField });
export type PinState = z.infer<typeof pinState>;
export type Level = z.infer<typeof levelField>;

const pinResult = z.strictObject({
  status: z.literal('ok'),
  pin: pinField,
  level: levelField,
  ok: z.literal(true),
});
const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT'] as const;

export const gpioCommands = {
  'gpio.write': defineCommand({
    summary: 'Drive a pin or relay; the level is read back.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    params: pinState,
    result: pinResult,
    errors,
    http: { method: 'POST', path: '/api/remote/gpio/write' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'write' }],
  }),
  'gpio.read': defineCommand({
    summary: 'Read the level of a pin or relay.',
    access: { scope: 'view', http: 'token', page: 'allowed' },
    params: z.strictObject({ pin: pinField }),
    result: pinResult,
    errors,
    http: { method: 'POST', path: '/api/remote/gpio/read' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'read' }],
  }),
};
