import { z } from 'zod';
import { defineCommand, isUpload, type Upload } from '../../contract/command.ts';
import { CONTROLS, noParams, queryList, WEB_URL_PATTERN } from '../../contract/fields.ts';

/** Largest archive that is accepted, in bytes. */
const ARCHIVE_LIMIT = 512 * 1024 * 1024;

/** A project's id: the DNS label that its origin begins with. */
export const projectId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the id of a project, such as lobby-panel');

export const projectName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(
    // Blanks at both ends are removed, and something must be left.
    new RegExp(`^[^${CONTROLS}]*[^\\s\\ufeff${CONTROLS}][^${CONTROLS}]*$`),
    'must not be empty, nor hold control characters',
  );

/** The beginning of the SHA-256: of the archive, or of the list of files after a change. */
export const projectVersion = z.string().regex(/^[0-9a-f]{12}$/);

const projectEntry = z.strictObject({
  id: projectId,
  name: projectName,
  version: projectVersion,
  installedAt: z.iso.datetime(),
  size: z.int().min(0).describe('bytes of the unpacked files'),
  active: z.boolean(),
  previousAt: z.iso
    .datetime()
    .nullable()
    .describe('when the version before was installed; null: there is none to go back to'),
});
export type ProjectEntry = z.infer<typeof projectEntry>;

/** How far a fetch of a project is. */
const projectEvent = z.strictObject({
  name: projectName,
  state: z.enum(['fetching', 'unpacking', 'installed', 'failed']),
  received: z.int().min(0).describe('bytes'),
  total: z.int().min(0).nullable().describe('bytes; null: not known'),
});

/** What is announced of it. */
export const projectsEvents = {
  project: projectEvent,
};
/** What becomes of it on a broker. */
export const projectsBroker = {
  project: 'event',
} as const;

export const projectsCommands = {
  'projects.list': defineCommand({
    summary: 'The installed projects. The demo, shown when none is active, is not one of them.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ projects: z.array(projectEntry) }),
    http: { method: 'GET', path: '/api/manage/projects' },
  }),
  'projects.install': defineCommand({
    summary:
      'Install a .zip or .ch5z archive; the same name again replaces the project and keeps its previous version.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      name: projectName.describe('name of the project; its id is made from it'),
      archive: z.custom<Upload>(isUpload),
    }),
    result: z.strictObject({ id: projectId, name: projectName, active: z.boolean() }),
    errors: ['CONFLICT', 'STORAGE_FULL'],
    // An upload over a slow line takes long: only a line that falls silent ends it.
    timeoutMs: 3_600_000,
    http: {
      method: 'POST',
      path: '/api/manage/projects',
      query: ['name'],
      upload: {
        field: 'archive',
        types: ['application/zip', 'application/octet-stream'],
        limitBytes: ARCHIVE_LIMIT,
      },
    },
  }),
  'projects.patch': defineCommand({
    summary:
      'Change a project: an archive of the files that are new or changed, the names of those that went, and the digest of the whole.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      id: projectId,
      removed: queryList(z.string().min(1).max(1_024), 1_000)
        .default([])
        .describe('paths of the files that went, the field once for each'),
      sha256: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256, 64 hex digits')
        .describe(
          'of the list of all its files as it has to be then: "<sha256>  <path>" and a line feed each, sorted by the bytes of the paths',
        ),
      archive: z.custom<Upload>(isUpload),
    }),
    result: z.strictObject({ id: projectId, version: projectVersion, active: z.boolean() }),
    errors: ['PROJECT_NOT_FOUND', 'CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 3_600_000,
    http: {
      method: 'PATCH',
      path: '/api/manage/projects/:id',
      query: ['removed', 'sha256'],
      upload: {
        field: 'archive',
        types: ['application/zip', 'application/octet-stream'],
        limitBytes: ARCHIVE_LIMIT,
      },
    },
  }),
  'projects.fetch': defineCommand({
    summary: 'Fetch an archive from an address, check its digest, and install it as an upload.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({
      url: z
        .string()
        .max(2_000)
        .refine((text) => URL.canParse(text) && /^https?:/.test(text), {
          message: 'must be an http or https address',
        })
        .meta({ pattern: WEB_URL_PATTERN }),
      sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 of the archive, 64 hex digits'),
      name: projectName.describe('name of the project; its id is made from it'),
      activate: z.boolean().default(true),
    }),
    result: z.strictObject({ id: projectId, name: projectName, active: z.boolean() }),
    errors: ['CONFLICT', 'TOO_LARGE', 'UPDATE_FAILED', 'STORAGE_FULL'],
    // As for an upload: only a line that falls silent ends it.
    timeoutMs: 3_600_000,
    http: { method: 'POST', path: '/api/manage/projects/fetch' },
  }),
  'projects.activate': defineCommand({
    summary: 'Make a project the one that the panel shows.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({ id: projectId }),
    result: z.strictObject({ id: projectId, active: z.literal(true) }),
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_FULL'],
    timeoutMs: 60_000,
    http: { method: 'POST', path: '/api/manage/projects/:id/activate' },
  }),
  'projects.rollback': defineCommand({
    summary: 'Go back to the previous version; the newer one is removed.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({ id: projectId }),
    result: z.strictObject({ id: projectId, version: projectVersion }),
    errors: ['PROJECT_NOT_FOUND', 'CONFLICT', 'STORAGE_FULL'],
    timeoutMs: 60_000,
    http: { method: 'POST', path: '/api/manage/projects/:id/rollback' },
  }),
  'projects.remove': defineCommand({
    summary: 'Remove a project; if it was the active one, the demo is shown.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z.strictObject({ id: projectId }),
    result: z.strictObject({ status: z.literal('removed') }),
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_FULL'],
    timeoutMs: 60_000,
    http: { method: 'DELETE', path: '/api/manage/projects/:id' },
  }),
  'kiosk.reload': defineCommand({
    summary: 'Load the kiosk page again.',
    access: { scope: 'control', http: 'token', mqtt: 'allowed', replay: 'allowed' },
    params: noParams,
    result: z.strictObject({ status: z.literal('reloading') }),
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 15_000,
    http: { method: 'POST', path: '/api/manage/reload' },
  }),
  'kiosk.screenshot': defineCommand({
    summary: 'What the panel shows now.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    timeoutMs: 15_000,
    http: { method: 'GET', path: '/api/manage/screenshot', answer: ['image/png'] },
  }),
};

const storedVersion = z.strictObject({
  version: projectVersion,
  /** Folder below the project's own. */
  folder: z.string().regex(/^[0-9a-f-]+$/),
  installedAt: z.iso.datetime(),
  size: z.int().min(0),
});
export type StoredVersion = z.infer<typeof storedVersion>;

/** What is stored of the projects; a folder that is not named here is ignored. */
export const projectsState = z.strictObject({
  active: projectId.nullable(),
  projects: z.record(
    projectId,
    z.strictObject({ name: projectName, current: storedVersion, previous: storedVersion.nullable() }),
  ),
  /** Projects whose service workers and caches still belong to another version. */
  stale: z.array(projectId),
});
export type ProjectsState = z.infer<typeof projectsState>;
