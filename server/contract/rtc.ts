import { z } from 'zod';
import { defineCommand } from './command.ts';
import { noParams } from './fields.ts';

const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM in 24 hours')
  .describe('HH:MM, local time');
const day = z.int().min(0).max(6).describe('0 = Sunday to 6 = Saturday');
const edge = z.iso.datetime({ offset: true }).nullable();

export const alarmState = z.strictObject({
  enabled: z.boolean(),
  onTime: time,
  offTime: time,
  onDays: z.array(day).describe('days of onTime; empty = every day'),
  nextOn: edge.describe('read-only'),
  nextOff: edge.describe('read-only'),
});
export type AlarmState = z.infer<typeof alarmState>;

const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'STORAGE_FULL'] as const;

export const rtcCommands = {
  'rtc.alarm': defineCommand({
    summary: 'The sleep and wake schedule.',
    params: noParams,
    result: alarmState,
    errors,
    http: { method: 'GET', path: '/api/remote/rtc/alarm' },
  }),
  'rtc.setAlarm': defineCommand({
    summary: 'Set the sleep and wake schedule.',
    params: z
      .strictObject({
        enabled: z.boolean(),
        onTime: time,
        offTime: time,
        onDays: z.array(day).max(7),
        nextOn: z.unknown().optional().describe('ignored'),
        nextOff: z.unknown().optional().describe('ignored'),
      })
      .refine((alarm) => alarm.onTime !== alarm.offTime, {
        path: ['offTime'],
        message: 'must differ from onTime',
      }),
    result: alarmState,
    errors,
    http: { method: 'POST', path: '/api/remote/rtc/alarm' },
  }),
};
