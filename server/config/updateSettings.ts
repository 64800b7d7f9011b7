import { z } from 'zod';
import { serverOf, setting } from './setting.ts';
import { webAddressOrNone } from './webAddress.ts';

const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';

/** The settings of updates. */
export const updateSettingDeclarations = {
  'update.channel': setting({
    schema: webAddressOrNone('update.login'),
    kind: 'text',
    default: '',
    live: true,
    hides: 'queries',
    description:
      'Address of the list of versions that this panel may have (channel.json). Without it, none is looked for.',
  }),
  'update.login': setting({
    schema: z.union(
      [
        z.strictObject({ username: z.string().min(1).max(200), password: z.string().max(200) }),
        z.strictObject({}),
      ],
      { message: 'must be {"username","password"}, or {} for none' },
    ),
    kind: 'json',
    default: {},
    secret: true,
    place: serverOf('update.channel'),
    live: true,
    description:
      'Login at the server of update.channel (HTTP authentication): {"username":"panel","password":"…"}.',
  }),
  'update.window': setting({
    schema: z
      .string()
      .regex(new RegExp(`^(?:${TIME}-${TIME})?$`), 'must be two local times such as 02:00-04:00')
      .refine((text) => text === '' || text.slice(0, 5) !== text.slice(6), {
        message: 'must not begin and end at the same time',
      }),
    kind: 'text',
    default: '',
    live: true,
    description:
      'When the panel may take a newer version of its channel by itself, in local time: 02:00-04:00. Without it, only by hand.',
  }),
  'update.keys': setting({
    schema: z.string().min(1).max(4_096),
    kind: 'text',
    default: '/etc/faceplate/update-keys.pem',
    description:
      'PEM file of the certificates whose keys may sign versions. Set only by environment or flag.',
  }),
} as const;
