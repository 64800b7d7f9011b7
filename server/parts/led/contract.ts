import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

const channel = z.int().min(0).max(255);

/** The LED bar: switch and colour are independent. */
export const ledState = z.strictObject({ on: z.boolean(), red: channel, green: channel, blue: channel });
export type LedState = z.infer<typeof ledState>;

const ledResult = z.strictObject({ status: z.literal('ok'), state: ledState });
const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT', 'STORAGE_FULL'] as const;

/** Its events. */
export const ledEvents = {
  led: ledState,
};
/** Their use on a broker. */
export const ledBroker = {
  led: 'state',
} as const;
/** The states that a new listener gets first. */
export const ledSnapshot = {
  led: ledState.optional(),
};

export const ledCommands = {
  'led.state': defineCommand({
    summary: 'The state of the LED bar.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: ledResult,
    errors,
    http: { method: 'GET', path: '/api/remote/led/state' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'ledState' }],
  }),
  'led.on': defineCommand({
    summary: 'Switch the LED bar on or off; the colour is kept.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({ on: z.boolean() }),
    result: ledResult,
    errors,
    http: { method: 'POST', path: '/api/remote/led/on' },
    page: [
      { kind: 'action', object: 'gpioBridge', action: 'ledOn', fixed: { on: true } },
      { kind: 'action', object: 'gpioBridge', action: 'ledOff', fixed: { on: false } },
    ],
  }),
  'led.color': defineCommand({
    summary: 'Set the colour of the LED bar; on or off is kept.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({ red: channel, green: channel, blue: channel }),
    result: ledResult,
    errors,
    http: { method: 'POST', path: '/api/remote/led/color' },
    page: [{ kind: 'action', object: 'gpioBridge', action: 'ledColor' }],
  }),
};
