import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { languages } from '../../contract/device.ts';
import { noParams, okResult } from '../../contract/fields.ts';
import { pairingCode } from '../../parts/access/contract.ts';
import { PAGE_URL_LIMIT } from '../contract.ts';

/** What opens the settings page: digits, so that the page's own pad is enough. */
const pinField = z
  .string()
  .regex(/^\d{4,8}$/, 'must be 4 to 8 digits')
  .meta({ secret: true });

/** Steps of the first set-up, in their order. */
export const setupSteps = ['language', 'name', 'network', 'time', 'pin', 'show', 'phone', 'done'] as const;
const setupStep = z.enum(setupSteps);
export type SetupStep = z.infer<typeof setupStep>;

const pinKind = z.enum(['missing', 'set', 'held']).describe('held: the setting kiosk.pin, which wins');

const pageStatus = z.strictObject({
  mode: z
    .enum(['settings', 'setup', 'hint'])
    .describe('why the page was opened; hint: it only says how the settings are opened'),
  setupStep: setupStep.nullable().describe('where the first set-up goes on; null: there is none to do'),
  pin: z
    .enum(['missing', 'closed', 'set', 'held'])
    .describe(
      'closed: missing, and the panel started too long ago for somebody in front of it to choose one; held: the setting kiosk.pin, which wins',
    ),
  locked: z.boolean(),
  waitSeconds: z.int().min(0).describe('no PIN is checked before that'),
  manageUrl: z
    .string()
    .nullable()
    .describe('where a PIN is chosen in a browser; null: no other machine gets there'),
});
export type PageStatus = z.infer<typeof pageStatus>;

const panelFacts = z.strictObject({
  name: z.string(),
  language: z.enum(languages),
  port: z.int(),
  addresses: z.array(z.string()).describe('of the network, IPv4 first'),
  url: z.string(),
  versions: z.record(z.string(), z.string()),
});
export type PanelFacts = z.infer<typeof panelFacts>;

/** Commands that only the settings page can call. */
export const settingsPageCommands = {
  'settingsPage.status': defineCommand({
    summary: 'Whether a PIN has to be set, and whether the page is locked.',
    access: { glass: 'locked' },
    reads: true,
    params: noParams,
    result: pageStatus,
  }),
  'settingsPage.setPin': defineCommand({
    summary: 'Set the first PIN; unlocks.',
    access: { glass: 'locked' },
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['FORBIDDEN', 'CONFLICT', 'STORAGE_FULL'],
  }),
  'settingsPage.unlock': defineCommand({
    summary: 'Unlock with the PIN; from the third wrong PIN on, the wait doubles.',
    access: { glass: 'locked' },
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['FORBIDDEN', 'RATE_LIMITED', 'CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 15_000,
  }),
  'settingsPage.setup': defineCommand({
    summary: 'Note how far the first set-up is; `done` ends it for good.',
    access: { glass: 'locked' },
    params: z.strictObject({ step: setupStep }),
    result: pageStatus,
    errors: ['STORAGE_FULL'],
  }),
  'setup.find': defineCommand({
    summary: 'Home Assistants that answer on the networks of the panel (mDNS). It proves nothing about them.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: noParams,
    result: z.strictObject({
      pages: z.array(z.strictObject({ kind: z.literal('homeAssistant'), name: z.string(), url: z.string() })),
    }),
    timeoutMs: 10_000,
    http: { method: 'GET', path: '/api/manage/setup/pages' },
  }),
  'setup.probe': defineCommand({
    summary: 'What is at an address that a person typed, with or without its scheme.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: z.strictObject({ url: z.string().min(1).max(PAGE_URL_LIMIT) }),
    result: z.strictObject({
      url: z.string().describe('the whole address'),
      title: z.string().nullable().describe('of the page; null: it has none, or was not asked'),
      reason: z
        .string()
        .nullable()
        .describe('why nothing is to be seen there, in one sentence; null: it answers'),
    }),
    timeoutMs: 15_000,
    http: { method: 'POST', path: '/api/manage/setup/probe' },
  }),
  'settingsPage.touch': defineCommand({
    summary: 'A person uses the page: it stays open for two more minutes.',
    access: { glass: 'locked' },
    reads: true,
    params: noParams,
    result: okResult,
  }),
  'settingsPage.close': defineCommand({
    summary: 'Close the page.',
    access: { glass: 'locked' },
    params: noParams,
    result: okResult,
  }),
  'settingsPage.changePin': defineCommand({
    summary: 'Take another PIN.',
    access: { scope: 'owner', glass: 'unlocked' },
    params: z.strictObject({ pin: pinField }),
    result: pageStatus,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 15_000,
  }),
  'pin.state': defineCommand({
    summary: 'Whether this panel has a PIN, and since when; never the PIN.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: noParams,
    result: z.strictObject({
      pin: pinKind,
      chosenAt: z.iso
        .datetime()
        .nullable()
        .describe('UTC; null: there is none, it is held, or a version before this one took it'),
    }),
    http: { method: 'GET', path: '/api/manage/pin' },
  }),
  'token.show': defineCommand({
    summary: 'The token of the API.',
    access: { scope: 'owner', glass: 'unlocked' },
    reads: true,
    params: noParams,
    result: z.strictObject({
      token: z.string(),
      held: z.boolean().describe('by a setting: cannot be rotated'),
    }),
  }),
  'token.rotate': defineCommand({
    summary: 'Make a new token; the old one is refused from now on.',
    access: { scope: 'owner', glass: 'unlocked' },
    params: noParams,
    result: z.strictObject({ token: z.string() }),
    errors: ['CONFLICT', 'STORAGE_FULL'],
  }),
  'panel.facts': defineCommand({
    summary: 'Names, addresses and versions of this panel.',
    access: { scope: 'owner', glass: 'unlocked' },
    reads: true,
    params: noParams,
    result: panelFacts,
  }),
  'panel.pairing': defineCommand({
    summary: 'What became of the pairing code that the page shows; another one where it ended by itself.',
    access: { scope: 'owner', glass: 'unlocked' },
    params: z.strictObject({
      renew: z
        .boolean()
        .default(false)
        .describe('makes one where there is none, as for a QR code that is drawn'),
    }),
    result: z.strictObject({
      code: pairingCode
        .extend({ qr: z.array(z.string().regex(/^[01]+$/)).describe('of the URL, row by row') })
        .nullable()
        .describe('null: it was used, or somebody has made another one'),
      usedBy: z.string().nullable().describe('the name of who used it'),
      isTried: z.boolean().describe('somebody tries codes: three wrong ones or more within the last minute'),
    }),
  }),
};

/** What is stored of the first set-up. */
export const setupRecord = z.strictObject({
  step: setupStep.nullable().describe('null: not begun'),
  /** Whether a project was shown with the hint how the settings are opened. */
  hinted: z.boolean(),
  /** Steps that were answered elsewhere: the set-up skips them. */
  given: z.array(setupStep).default([]),
});
export type SetupRecord = z.infer<typeof setupRecord>;

/** What is stored of the PIN: never the PIN itself. */
export const pinRecord = z.strictObject({
  /** scrypt of the PIN, base64; null before the first one is set. */
  hash: z.string().nullable(),
  salt: z.string(),
  /** Wrong PINs in a row. */
  wrong: z.int().min(0),
  /** When it was chosen; null: there is none, or it was chosen under a version that did not note it. */
  chosenAt: z.iso.datetime().nullable().default(null),
});
export type PinRecord = z.infer<typeof pinRecord>;
