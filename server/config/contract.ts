import { z } from 'zod';
import { defineCommand } from '../contract/command.ts';
import { noParams } from '../contract/fields.ts';

const source = z.enum(['default', 'file', 'environment', 'flag']);

const kind = z.enum(['text', 'integer', 'switch', 'list', 'json']).describe('how it is written');
/** How a setting is written as text: in the environment, on the command line, on the settings page. */
export type SettingKind = z.infer<typeof kind>;

const locked = z
  .literal(true)
  .optional()
  .describe("the caller may not change it: that takes the owner's token, or a person at the panel");

const described = z.strictObject({
  kind,
  value: z.unknown(),
  default: z.unknown(),
  source,
  description: z.string(),
  unit: z.string().optional(),
  choices: z.array(z.unknown()).optional().describe('all possible values, when there are few'),
  locked,
});
/** A secret is never shown, only whether there is one; nor is what the owner alone reads, to others. */
const describedSecret = z.strictObject({ kind, set: z.boolean(), source, description: z.string(), locked });

const answer = z.strictObject({
  settings: z.record(z.string(), z.union([describedSecret, described])).describe('by key, such as http.port'),
  restartNeeded: z.array(z.string()).describe('keys whose new value takes effect at the next start'),
  cleared: z
    .array(z.string())
    .optional()
    .describe('secrets that the change cleared: it names another server, and did not send them along'),
});
export type SettingsAnswer = z.infer<typeof answer>;

export const settingsCommands = {
  'settings.read': defineCommand({
    summary: 'All settings with value, default, source and description.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: answer,
    http: { method: 'GET', path: '/api/manage/settings' },
  }),
  'settings.change': defineCommand({
    summary:
      'Change settings: a part of the tree, such as {"http":{"port":8081}}; null restores the default.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z.record(z.string(), z.unknown()),
    result: answer,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    http: { method: 'PATCH', path: '/api/manage/settings' },
  }),
};
