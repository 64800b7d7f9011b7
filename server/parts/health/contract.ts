import { z } from 'zod';
import { defineCommand, isMedia, type Media } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';
import { pageState } from '../../kiosk/contract.ts';

const bytes = z.number().min(0);

const networkInterface = z.strictObject({
  name: z.string(),
  addresses: z.array(z.string()),
  mac: z.string().nullable(),
  up: z.boolean(),
  wifi: z
    .strictObject({
      ssid: z.string().nullable().describe('null: not known'),
      signal: z.int().min(0).max(100).nullable().describe('percent; null: not known'),
    })
    .nullable()
    .describe('null: no Wi-Fi, or not connected'),
});

/** How the panel is, in bytes and seconds. */
const healthState = z.strictObject({
  uptime: z.number().describe('of the machine, in seconds'),
  serviceUptime: z.number().describe('in seconds'),
  load: z.tuple([z.number(), z.number(), z.number()]).describe('of 1, 5 and 15 minutes'),
  temperature: z.number().nullable().describe('of the hottest sensor, in °C; null: there is none'),
  memory: z
    .strictObject({
      total: bytes,
      free: bytes.describe('what programs can still get'),
      service: bytes,
      browser: bytes.describe('with all its helpers; 0 while there is none'),
    })
    .describe('bytes'),
  disk: z
    .strictObject({
      total: bytes,
      free: bytes,
      problem: z
        .string()
        .nullable()
        .describe('why nothing can be written there, as a sentence; null: it can'),
    })
    .describe('bytes, of the disk that has the data folder'),
  network: z.array(networkInterface),
  undone: z
    .array(
      z.strictObject({
        setting: z
          .string()
          .describe('its key; settings.json for the whole file, display.zoom and display.rotation'),
        reason: z.string(),
        at: z.string().describe('ISO 8601 in UTC'),
      }),
    )
    .describe(
      'settings that are not followed because the panel could not start or show a picture with them, until somebody changes them',
    ),
  page: pageState.nullable().describe('null: this panel shows no page'),
});
export type HealthState = z.infer<typeof healthState>;

/** Seconds between two points of the history, and how many there are: a day. */
export const HISTORY_EVERY_S = 300;
export const HISTORY_POINTS = 288;

const healthHistory = z.strictObject({
  everySeconds: z.int().describe('between two points'),
  points: z
    .array(
      z.strictObject({
        secondsAgo: z.int().min(0).describe('whatever the clock was set to since'),
        load: z.number().describe('of 1 minute'),
        temperature: z.number().nullable().describe('in °C; null: there is no sensor'),
        memoryUsed: bytes.describe('what programs cannot get'),
      }),
    )
    .max(HISTORY_POINTS)
    .describe('of the last 24 hours since the start of the service, the oldest first'),
});
export type HealthPoint = z.infer<typeof healthHistory>['points'][number];

/** Its events. */
export const healthEvents = {
  health: healthState,
};
/** Their use on a broker. */
export const healthBroker = {
  health: 'state',
} as const;

export const healthCommands = {
  'health.state': defineCommand({
    summary: 'How the panel is: load, temperature, memory, disk, network, page.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: healthState,
    http: { method: 'GET', path: '/api/remote/health' },
  }),
  'health.history': defineCommand({
    summary: 'Load, temperature and memory of the last 24 hours, in points of 5 minutes.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: healthHistory,
    http: { method: 'GET', path: '/api/remote/health/history' },
  }),
  'metrics.read': defineCommand({
    summary: 'The same and what was counted, as text for Prometheus.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.custom<Media>(isMedia),
    http: { method: 'GET', path: '/metrics', answer: ['text/plain'] },
  }),
};
