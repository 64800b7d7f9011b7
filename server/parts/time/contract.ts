import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

const timeState = z.strictObject({
  now: z.iso.datetime(),
  timeZone: z.string().describe('such as Europe/Berlin'),
  ntp: z.boolean().describe('whether the clock is set by the network'),
  synchronized: z.boolean(),
});
export type TimeState = z.infer<typeof timeState>;

const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'] as const;

export const timeCommands = {
  'time.state': defineCommand({
    summary: 'The clock of the panel and its time zone, as systemd-timedated has them.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: timeState,
    errors,
    timeoutMs: 15_000,
    http: { method: 'GET', path: '/api/manage/time' },
  }),
  'time.change': defineCommand({
    summary: 'Set the time zone, and whether the network sets the clock; what is left out stays.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      timeZone: z
        .string()
        .max(64)
        .regex(/^[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*$/, 'must be a time zone such as Europe/Berlin')
        .optional(),
      ntp: z.boolean().optional(),
    }),
    result: timeState,
    errors,
    timeoutMs: 20_000,
    http: { method: 'POST', path: '/api/manage/time' },
  }),
};
