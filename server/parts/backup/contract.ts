import { z } from 'zod';
import { defineCommand, isMedia, isUpload, type Media, type Upload } from '../../contract/command.ts';
import { CONTROLS } from '../../contract/fields.ts';
import { projectId, projectName, projectVersion } from '../projects/contract.ts';

/** Largest backup that is made and accepted, in bytes. */
export const BACKUP_LIMIT = 512 * 1024 * 1024;

const passphrase = z
  .string()
  .max(256)
  .regex(
    // A header loses blanks at its ends.
    new RegExp(`^[^\\s${CONTROLS}](?:[^${CONTROLS}]*[^\\s${CONTROLS}])?$`),
    'must be 1 to 256 characters, without a blank at either end and without control characters',
  );

const names = z.array(z.string());

export const backupCommands = {
  'backup.create': defineCommand({
    summary:
      'Save settings, state and projects as a zip file. Secrets are in it only with a passphrase, which the owner alone may give.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      passphrase: passphrase
        .optional()
        .describe(
          'encrypts the secrets; without it they are left out, as are kiosk.inject and the queries of addresses',
        )
        .meta({ secret: true }),
      projects: z.boolean().default(true),
    }),
    result: z.custom<Media>(isMedia),
    errors: ['FORBIDDEN', 'CONFLICT', 'TOO_LARGE', 'STORAGE_FULL'],
    timeoutMs: 600_000,
    http: { method: 'POST', path: '/api/manage/backup', answer: ['application/zip'] },
  }),
  'backup.restore': defineCommand({
    summary:
      'Take back a backup, all of it or nothing. What it holds replaces what is there; projects only where it holds projects.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      backup: z.custom<Upload>(isUpload),
      passphrase: z
        .string()
        .max(1024)
        .optional()
        .describe('in UTF-8; needed where the backup holds secrets')
        .meta({ secret: true }),
    }),
    result: z.strictObject({
      restored: names.describe('keys of settings, names of state files such as led, and projects'),
      restartNeeded: names.describe('which of them take effect at the next start'),
      skipped: names
        .optional()
        .describe(
          'settings that were left alone: held by a flag or the environment, changed by the owner alone, or an address whose query the backup does not hold; state files that the owner alone restores: certificates',
        ),
      cleared: names
        .optional()
        .describe('secrets of this panel that were cleared: they would be sent to another server'),
    }),
    errors: ['FORBIDDEN', 'CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 3_600_000,
    http: {
      method: 'POST',
      path: '/api/manage/restore',
      headers: { passphrase: 'x-passphrase' },
      upload: {
        field: 'backup',
        types: ['application/zip', 'application/octet-stream'],
        limitBytes: BACKUP_LIMIT,
      },
    },
  }),
  'panel.reset': defineCommand({
    summary:
      "Make the panel as new: settings, state, projects, tokens, PIN and browser data go; the panel's id stays. The service restarts.",
    access: { scope: 'owner', http: 'token' },
    params: z.strictObject({ confirm: z.string().max(256).describe('the name of the panel, as in info') }),
    result: z.strictObject({ status: z.literal('resetting') }),
    errors: ['STORAGE_FULL'],
    http: { method: 'POST', path: '/api/manage/reset' },
  }),
};

/** `backup.json` of a backup: what it is. A format that is not known is refused. */
export const backupManifest = z.strictObject({
  format: z.literal(1),
  version: z.string().max(64).describe('of the service that made it'),
  createdAt: z.iso.datetime(),
  projects: z.boolean(),
  secrets: z.boolean(),
});
export type BackupManifest = z.infer<typeof backupManifest>;

/** `projects.json` of a backup: the projects whose files it holds. */
export const backupProjects = z.strictObject({
  active: projectId.nullable(),
  projects: z.record(
    projectId,
    z.strictObject({ name: projectName, version: projectVersion, installedAt: z.iso.datetime() }),
  ),
});

/** What `secrets.bin` of a backup holds once it is decrypted. */
export const backupSecrets = z.strictObject({
  settings: z.record(z.string(), z.unknown()),
  /** State files by their name, as text. */
  state: z.record(z.string(), z.string()),
});
