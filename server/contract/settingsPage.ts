import { z } from 'zod';
import { defineCommand } from './command.ts';
import { noParams, okResult } from './fields.ts';

/** What opens the settings page: digits, so that the page's own pad is enough. */
export const pinField = z.string().regex(/^\d{4,8}$/, 'must be 4 to 8 digits');

const pageStatus = z.strictObject({
  pin: z.enum(['missing', 'set', 'held']).describe('held: the setting kiosk.pin, which wins'),
  locked: z.boolean(),
  waitSeconds: z.int().min(0).describe('no PIN is looked at before that'),
});
export type PageStatus = z.infer<typeof pageStatus>;

const level = z.int().min(0).max(100).describe('percent');
const levels = z.strictObject({
  brightness: level.nullable().describe('null: the board has none'),
  volume: level.nullable(),
});
export type DisplayLevels = z.infer<typeof levels>;

const panelFacts = z.strictObject({
  name: z.string(),
  port: z.int(),
  addresses: z.array(z.string()).describe('of the network, IPv4 first'),
  url: z.string(),
  qr: z.array(z.string().regex(/^[01]+$/)).describe('the URL as a QR code, row by row'),
  versions: z.record(z.string(), z.string()),
});
export type PanelFacts = z.infer<typeof panelFacts>;

/** Commands that only the settings page has. */
export const settingsPageCommands = {
  'page.status': defineCommand({
    summary: 'Whether a PIN has to be set, and whether the page is locked.',
    params: noParams,
    result: pageStatus,
    settingsPage: 'locked',
  }),
  'page.setPin': defineCommand({
    summary: 'Set the first PIN; unlocks.',
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    settingsPage: 'locked',
  }),
  'page.unlock': defineCommand({
    summary: 'Unlock with the PIN; from the third wrong one on the wait doubles.',
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['FORBIDDEN', 'RATE_LIMITED', 'CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 15_000,
    settingsPage: 'locked',
  }),
  'page.touch': defineCommand({
    summary: 'Somebody uses the page: it stays open for two more minutes.',
    params: noParams,
    result: okResult,
    settingsPage: 'locked',
  }),
  'page.close': defineCommand({
    summary: 'Close the page.',
    params: noParams,
    result: okResult,
    settingsPage: 'locked',
  }),
  'page.changePin': defineCommand({
    summary: 'Take another PIN.',
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 15_000,
    settingsPage: 'unlocked',
  }),
  'token.show': defineCommand({
    summary: 'The token of the API.',
    params: noParams,
    result: z.strictObject({
      token: z.string(),
      held: z.boolean().describe('by a setting: cannot be rotated'),
    }),
    settingsPage: 'unlocked',
  }),
  'token.rotate': defineCommand({
    summary: 'Make a new token; the old one is refused from now on.',
    params: noParams,
    result: z.strictObject({ token: z.string() }),
    errors: ['CONFLICT', 'STORAGE_FULL'],
    settingsPage: 'unlocked',
  }),
  'panel.facts': defineCommand({
    summary: 'Names, addresses and versions of this panel.',
    params: noParams,
    result: panelFacts,
    settingsPage: 'unlocked',
  }),
  'display.levels': defineCommand({
    summary: 'Brightness and volume, where the board has them.',
    params: noParams,
    result: levels,
    errors: ['HARDWARE_ERROR'],
    settingsPage: 'unlocked',
  }),
  'display.set': defineCommand({
    summary: 'Set brightness or volume.',
    params: z.strictObject({ brightness: level.optional(), volume: level.optional() }),
    result: levels,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    settingsPage: 'unlocked',
  }),
};

/** What is kept of the PIN on disk: never the PIN itself. */
export const pinState = z.strictObject({
  /** scrypt of the PIN, base64; null before the first one is set. */
  hash: z.string().nullable(),
  salt: z.string(),
  /** Wrong ones in a row. */
  wrong: z.int().min(0),
});
export type PinState = z.infer<typeof pinState>;
