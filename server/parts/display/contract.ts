import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

const percent = z.int().min(0).max(100);

/** How far the page is turned, clockwise, in degrees. */
export const rotations = [0, 90, 180, 270] as const;
export type Rotation = (typeof rotations)[number];
const rotation = z
  .union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)])
  .describe('degrees, clockwise');
const zoom = z.number().min(0.25).max(5).describe("the page's layout zoom; 1 = as it is made");

/** What the screen does because of the time since the last touch. */
export const idleStates = ['active', 'dimmed', 'saver', 'off'] as const;
export type IdleState = (typeof idleStates)[number];

const displayState = z.strictObject({
  on: z.boolean().describe('whether the light is on; the page runs on without it'),
  brightness: percent
    .nullable()
    .describe('percent as it was set, also while dimmed; 0 can still be read; null: the board has none'),
  volume: percent.nullable().describe('percent; null: the board has none'),
  muted: z.boolean(),
  idle: z.enum(idleStates).describe('off: the light is off, whoever switched it'),
  zoom,
  rotation,
});
export type DisplayState = z.infer<typeof displayState>;

/** What is stored of the display. */
export const displayRecord = z.strictObject({
  /** As it was set last; null before that. */
  brightness: percent.nullable(),
  zoom,
  rotation,
});
export type DisplayRecord = z.infer<typeof displayRecord>;

/** Its events. */
export const displayEvents = {
  display: displayState,
};
/** Their use on a broker. */
export const displayBroker = {
  display: 'state',
} as const;
/** The states that a new listener gets first. */
export const displaySnapshot = {
  display: displayState.optional(),
};

export const displayCommands = {
  'display.state': defineCommand({
    summary: 'The screen and the volume.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: displayState,
    http: { method: 'GET', path: '/api/remote/display' },
  }),
  'display.set': defineCommand({
    summary: 'Switch the light, set brightness, volume, zoom or rotation; what is not given stays.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z
      .strictObject({
        on: z.boolean(),
        brightness: percent.describe('percent; 0 is the lowest light that can still be read'),
        volume: percent.describe('percent'),
        muted: z.boolean(),
        zoom,
        rotation,
      })
      .partial(),
    result: displayState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'STORAGE_FULL'],
    timeoutMs: 10_000,
    http: { method: 'POST', path: '/api/remote/display' },
  }),
  'display.activity': defineCommand({
    summary: 'As if the panel had been touched: wakes it, and restarts the idle clock.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: noParams,
    result: displayState,
    timeoutMs: 10_000,
    http: { method: 'POST', path: '/api/remote/display/activity' },
  }),
};
