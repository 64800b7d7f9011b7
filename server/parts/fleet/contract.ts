import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';
import { brokerName, panelBrokerId } from '../../surfaces/mqtt/contract.ts';

const unknownOr = <T extends z.ZodType>(schema: T) => schema.nullable();

const fleetPanel = z.strictObject({
  id: z.string().describe('mqtt.id; of a panel heard by mDNS alone the id of its announcement'),
  name: unknownOr(z.string()),
  version: unknownOr(z.string()),
  board: unknownOr(z.string()),
  address: unknownOr(z.string()).describe('`<ip>:<port>`, as that panel says'),
  https: unknownOr(z.int()).describe('its port of HTTPS, as that panel says; null: off, or not known'),
  groups: unknownOr(z.array(z.string())),
  online: z.boolean(),
  since: z.iso.datetime().describe('last change of `online`'),
  page: unknownOr(z.unknown()).describe('as GET /api/remote/page of that panel'),
  project: unknownOr(z.strictObject({ id: z.string(), name: z.string(), version: z.string() })).describe(
    'the active one',
  ),
  update: unknownOr(z.unknown()).describe('as GET /api/manage/update of that panel'),
});
export type FleetPanel = z.infer<typeof fleetPanel>;

/** Commands that a roll-out may send. */
export const rolloutCommands = ['projects.fetch', 'update.fetch', 'settings.change'] as const;

export const rolloutPanelState = z.enum(['waiting', 'sent', 'proving', 'healthy', 'failed', 'offline']);

const rolloutPanel = z.strictObject({
  id: panelBrokerId,
  state: rolloutPanelState,
  reason: z.string().nullable(),
});
export type RolloutPanel = z.infer<typeof rolloutPanel>;

const rolloutId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a roll-out: 1 to 64 of A-Z a-z 0-9 _ -');

/** A roll-out with its progress, as the file and `state/rollout` have it too. */
export const rolloutProgress = z.strictObject({
  id: rolloutId,
  state: z.enum(['running', 'done', 'stopped']),
  reason: z.string().nullable(),
  command: z.enum(rolloutCommands),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  panels: z.array(rolloutPanel),
});
export type RolloutProgress = z.infer<typeof rolloutProgress>;

/** A roll-out as the panel that owns it keeps it on its disk. */
export const storedRollout = rolloutProgress.extend({
  params: z.record(z.string(), z.unknown()),
  canary: z.int().min(0),
  parallel: z.int().min(1),
  healthyFor: z.int().min(0).describe('seconds'),
  panels: z.array(
    rolloutPanel.extend({
      updateBefore: z.string().nullable().describe('`last.at` of its updates when it got the command'),
    }),
  ),
});
export type StoredRollout = z.infer<typeof storedRollout>;

const rolloutSummary = rolloutProgress.omit({ panels: true }).extend({
  counts: z.record(rolloutPanelState, z.int().min(0)).describe('how many panels are in each state'),
});

/** The event `rollout`: the roll-out as a whole, or one panel of it. */
const rolloutEvent = z.strictObject({
  id: rolloutId,
  state: rolloutProgress.shape.state,
  panel: rolloutPanel.nullable(),
});

/** Its events. */
export const fleetEvents = {
  rollout: rolloutEvent,
};
/** Their use on a broker. */
export const fleetBroker = {
  rollout: 'event',
} as const;

export const fleetCommands = {
  'fleet.list': defineCommand({
    summary: 'The panels heard on the broker and by mDNS, this one too.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.strictObject({ panels: z.array(fleetPanel) }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'GET', path: '/api/manage/fleet' },
  }),
  'fleet.rollout': defineCommand({
    summary:
      'Carry out a command on many panels: the canaries first, then the rest in waves; a failure stops it.',
    access: { scope: 'manage', http: 'token' },
    params: z
      .strictObject({
        groups: z.array(brokerName).min(1).max(64).optional(),
        ids: z.array(panelBrokerId).min(1).max(10_000).optional(),
        command: z.enum(rolloutCommands),
        params: z.record(z.string(), z.unknown()).default({}),
        canary: z.int().min(0).max(10_000).default(1).describe('how many panels go first'),
        parallel: z.int().min(1).max(1_000).default(10).describe('how many panels at a time after them'),
        healthyFor: z.int().min(0).max(86_400).default(60).describe('seconds that a page must be shown'),
      })
      .refine(({ groups, ids }) => (groups === undefined) !== (ids === undefined), {
        message: 'give either groups or ids',
        path: ['groups'],
      }),
    result: z.strictObject({ id: rolloutId }),
    errors: ['UNSUPPORTED_HARDWARE', 'NOT_FOUND', 'CONFLICT', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/manage/fleet/rollout' },
  }),
  'fleet.rollouts': defineCommand({
    summary: 'The roll-outs of this panel, the newest first; the last 20 are kept.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.strictObject({ rollouts: z.array(rolloutSummary) }),
    errors: ['UNSUPPORTED_HARDWARE'],
    http: { method: 'GET', path: '/api/manage/fleet/rollout' },
  }),
  'fleet.progress': defineCommand({
    summary: 'How far a roll-out is, or how it went; the last 20 are kept.',
    access: { scope: 'view', http: 'token' },
    params: z.strictObject({ id: rolloutId }),
    result: rolloutProgress,
    errors: ['UNSUPPORTED_HARDWARE', 'NOT_FOUND'],
    http: { method: 'GET', path: '/api/manage/fleet/rollout/:id' },
  }),
  'fleet.stop': defineCommand({
    summary: 'Stop a roll-out: no further panel begins; those under way end their proof.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({ id: rolloutId }),
    result: rolloutProgress,
    errors: ['UNSUPPORTED_HARDWARE', 'NOT_FOUND', 'STORAGE_FULL'],
    http: { method: 'DELETE', path: '/api/manage/fleet/rollout/:id' },
  }),
};
