import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

/** The air around the panel, in steps of a tenth. */
export const climateState = z.strictObject({
  temperature: z.number().min(-100).max(200).nullable().describe('in °C; null: the sensor does not tell'),
  humidity: z.number().min(0).max(100).nullable().describe('relative, in %; null: the sensor does not tell'),
});
export type ClimateState = z.infer<typeof climateState>;

/** Its events. */
export const climateEvents = {
  climate: climateState,
};
/** Their use on a broker. */
export const climateBroker = {
  climate: 'state',
} as const;
/** The states that a new listener gets first. */
export const climateSnapshot = {
  climate: climateState.optional(),
};

export const climateCommands = {
  'climate.state': defineCommand({
    summary: 'Temperature and humidity, read now.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: climateState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT'],
    http: { method: 'GET', path: '/api/remote/climate' },
  }),
};
