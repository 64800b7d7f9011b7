import { z } from 'zod';
import { defineCommand, isUpload, type Upload } from '../../contract/command.ts';
import { noParams, queryBoolean, WEB_URL_PATTERN } from '../../contract/fields.ts';
import { pageState } from '../../kiosk/contract.ts';

/** Largest bundle that is accepted, in bytes. */
export const BUNDLE_LIMIT = 2 * 1024 ** 3;

const version = z.string().min(1).max(128);
const percent = z.int().min(0).max(100);

const available = z.strictObject({
  version,
  notes: z.string().nullable(),
  size: z.int().min(0).nullable().describe('bytes'),
});

const lastUpdate = z.strictObject({
  version,
  result: z.enum(['good', 'returned']),
  reason: z.string().nullable().describe('a sentence; null when it is good'),
  at: z.iso.datetime(),
});

/** What is installed, what could be, and how far an update is. */
const updateState = z.strictObject({
  installed: version,
  slot: z.enum(['A', 'B']).nullable().describe('null: this panel has no slots'),
  available: available.nullable().describe('the newest of update.channel that is newer than this one'),
  state: z.enum(['idle', 'fetching', 'installing', 'restarting', 'proving']),
  progress: percent
    .nullable()
    .describe('percent, while installing, and while fetching where the size is known'),
  last: lastUpdate.nullable().describe('the last try that ended or was taken back'),
});
export type UpdateState = z.infer<typeof updateState>;

const choices = {
  older: queryBoolean
    .default(false)
    .describe(
      'also where it is older than what is installed, back to the oldest version that this panel takes',
    ),
  restart: queryBoolean.default(true).describe('in 10 seconds; false: at the next restart'),
};
const updated = z.strictObject({ version });

/** Its events. */
export const updateEvents = {
  update: updateState,
};
/** Their use on a broker. */
export const updateBroker = {
  update: 'state',
} as const;

export const updateCommands = {
  'update.state': defineCommand({
    summary: 'Which version is installed, which one could be, and how far an update is.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: updateState,
    http: { method: 'GET', path: '/api/manage/update' },
  }),
  'update.install': defineCommand({
    summary:
      'Install a signed bundle, and restart into it. A version that does not prove itself is taken back.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({ ...choices, bundle: z.custom<Upload>(isUpload) }),
    result: updated,
    errors: ['CONFLICT', 'UNSUPPORTED_HARDWARE', 'UPDATE_FAILED', 'STORAGE_FULL'],
    // An upload over a slow line takes long: only a line that falls silent ends it.
    timeoutMs: 7_200_000,
    http: {
      method: 'POST',
      path: '/api/manage/update',
      query: ['older', 'restart'],
      upload: { field: 'bundle', types: ['application/octet-stream'], limitBytes: BUNDLE_LIMIT },
    },
  }),
  'update.fetch': defineCommand({
    summary:
      'Fetch a signed bundle from an address, or the one that is available, and install it as an upload.',
    access: { scope: 'manage', http: 'token', mqtt: 'allowed' },
    params: z
      .strictObject({
        url: z
          .string()
          .max(2_000)
          .refine((text) => URL.canParse(text) && /^https?:/.test(text), {
            message: 'must be an http or https address',
          })
          .meta({ pattern: WEB_URL_PATTERN })
          .optional(),
        sha256: z
          .string()
          .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 of the bundle, 64 hex digits')
          .optional(),
        ...choices,
      })
      .refine(({ url, sha256 }) => (url === undefined) === (sha256 === undefined), {
        message: 'give both url and sha256, or neither',
        path: ['sha256'],
      })
      .meta({ dependentRequired: { url: ['sha256'], sha256: ['url'] } }),
    result: updated,
    errors: ['CONFLICT', 'TOO_LARGE', 'UNSUPPORTED_HARDWARE', 'UPDATE_FAILED', 'STORAGE_FULL'],
    timeoutMs: 7_200_000,
    http: { method: 'POST', path: '/api/manage/update/fetch' },
  }),
  'update.return': defineCommand({
    summary: 'Go back to the version before; take back one that waits for the restart.',
    access: { scope: 'manage', http: 'token' },
    params: noParams,
    result: updated,
    errors: ['CONFLICT', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'STORAGE_FULL'],
    timeoutMs: 30_000,
    http: { method: 'POST', path: '/api/manage/update/return' },
  }),
};

/** One version in the list of `update.channel`; other keys are ignored. */
export const channelEntry = z.object({
  version,
  boards: z.array(z.string()).max(64),
  url: z.string().min(1).max(2_000),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/),
  size: z.int().min(0).nullable().catch(null).default(null),
  notes: z.string().max(10_000).nullable().catch(null).default(null),
});
export type ChannelEntry = z.infer<typeof channelEntry>;

/** The slot of a version; null on panels without slots. */
const place = z.enum(['A', 'B']).nullable().default(null);

/** What is stored of updates, so that the next start knows what was under way. */
export const keptUpdate = z.strictObject({
  last: lastUpdate.nullable(),
  /** Installed, and taken at the next restart. */
  waiting: z.strictObject({ version, slot: place }).nullable(),
  /** The version that has to prove itself, or that is on its way back. */
  trying: z
    .strictObject({
      version,
      slot: place,
      /** What the page was before, where it was not shown. */
      page: pageState.shape.state.nullable(),
      /** Starts of the service that did not end in order. */
      starts: z.int().min(0),
      /** The boot of the machine in which the last of them was; null: not known. */
      boot: z.string().max(64).nullable().default(null),
      /** Why the update is rolled back; null while it is not. */
      reason: z.string().nullable(),
    })
    .nullable(),
  /** Versions that were taken back: the window takes none of them again. The newest come last. */
  returned: z.array(version).max(50),
});
export type KeptUpdate = z.infer<typeof keptUpdate>;
