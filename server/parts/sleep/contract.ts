import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

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

/** The complete schedule, as it is stored on disk. */
export const alarmSchedule = z.strictObject({
  enabled: z.boolean(),
  onTime: time,
  offTime: time,
  onDays: z.array(day).max(7),
});

/** Whether the panel would sleep at the moment it wakes, which no schedule may say. */
export function sleepsAsItWakes({
  onTime,
  offTime,
}: {
  readonly onTime?: string | undefined;
  readonly offTime?: string | undefined;
}): boolean {
  return onTime !== undefined && onTime === offTime;
}

const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'STORAGE_FULL'] as const;

/** Its events. */
export const rtcEvents = {
  rtc: alarmState,
};
/** Their use on a broker. */
export const rtcBroker = {
  rtc: 'state',
} as const;
/** The states that a new listener gets first. */
export const rtcSnapshot = {
  rtc: alarmState.optional(),
};

export const rtcCommands = {
  'rtc.alarm': defineCommand({
    summary: 'The sleep schedule.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: alarmState,
    errors,
    http: { method: 'GET', path: '/api/remote/rtc/alarm' },
  }),
  'rtc.setAlarm': defineCommand({
    summary: 'Change the sleep schedule: the given fields change, the others stay as they are.',
    access: { scope: 'control', http: 'token', mqtt: 'allowed', replay: 'allowed' },
    params: alarmSchedule
      .partial()
      .extend({
        nextOn: z.unknown().optional().describe('ignored'),
        nextOff: z.unknown().optional().describe('ignored'),
      })
      .refine((alarm) => !sleepsAsItWakes(alarm), { path: ['offTime'], message: 'must differ from onTime' })
      .describe('onTime and offTime must differ, also when only one of them is given'),
    result: alarmState,
    errors,
    http: { method: 'POST', path: '/api/remote/rtc/alarm' },
  }),
};
