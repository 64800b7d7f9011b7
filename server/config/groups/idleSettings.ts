import { z } from 'zod';
import { setting, webAddress } from './setting.ts';

/** Longest idle time, in seconds: a week. */
const MAX_SECONDS = 604_800;
const MAX_PHOTOS = 1_000;

const seconds = z.int().min(0).max(MAX_SECONDS);
const folder = z
  .string()
  .max(4_096)
  .regex(/^(?:\/.*)?$/, 'must be a folder such as /home/photos');

/** What the panel does while it is idle. */
export const idleSettingDeclarations = {
  'idle.dimAfter': setting({
    schema: seconds,
    kind: 'integer',
    default: 0,
    unit: 's',
    live: true,
    description: 'Dim the screen after this time without a touch; 0: never.',
  }),
  'idle.dimTo': setting({
    schema: z.int().min(0).max(100),
    kind: 'integer',
    default: 10,
    unit: '%',
    live: true,
    description: 'Brightness of the dimmed screen; a lower brightness stays as it is.',
  }),
  'idle.saverAfter': setting({
    schema: seconds,
    kind: 'integer',
    default: 0,
    unit: 's',
    live: true,
    description: 'Show the screen saver after this time without a touch; 0: never.',
  }),
  'idle.saver': setting({
    schema: z.union([z.enum(['clock', 'black', 'photos']), webAddress], {
      message: 'must be clock, black, photos, or an http or https URL without a login',
    }),
    kind: 'text',
    default: 'clock',
    live: true,
    hides: 'queries',
    description: 'The screen saver: clock, black, photos, or the address of a page.',
  }),
  'idle.photos': setting({
    // As text, a folder looks like a list of one.
    schema: z.preprocess(
      (value) =>
        Array.isArray(value) && value.length === 1 && /^(?:\/|$)/.test(value[0]) ? value[0] : value,
      z.union([folder, z.array(webAddress).max(MAX_PHOTOS)], {
        message: 'must be a folder such as /home/photos, or a list of http or https URLs without logins',
      }),
    ),
    kind: 'list',
    default: '',
    live: true,
    hides: 'queries',
    description: 'Pictures of the screen saver photos: a folder of the panel, or a list of addresses.',
  }),
  'idle.offAfter': setting({
    schema: seconds,
    kind: 'integer',
    default: 0,
    unit: 's',
    live: true,
    description: 'Switch the screen off after this time without a touch; 0: never.',
  }),
  'idle.homeAfter': setting({
    schema: seconds,
    kind: 'integer',
    default: 0,
    unit: 's',
    live: true,
    description: 'Go back to the home page after this time without a touch; 0: never.',
  }),
  'idle.clearAtHome': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    live: true,
    description:
      'Whether the panel then deletes cookies and storage of the pages that were shown, except the home page.',
  }),
  'idle.wakePins': setting({
    schema: z.array(z.int().min(0).max(31)).max(32),
    kind: 'json',
    default: [],
    live: true,
    description: 'Pins whose change counts as a touch, such as that of a motion sensor: [0].',
  }),
} as const;
