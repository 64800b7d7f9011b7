import { hostname } from 'node:os';
import { z } from 'zod';
import { type Language, languages } from '../contract/device.ts';
import { mistakesOf } from '../contract/mistakes.ts';
import { displayText } from '../intercom/settingsContract.ts';
import { usualDataFolder } from '../platform/files/dataFolder.ts';
import { LOG_LEVELS } from '../platform/log.ts';
import { cameraList } from '../video/named/settingsContract.ts';
import { httpSettingDeclarations } from './groups/httpSettings.ts';
import { idleSettingDeclarations } from './groups/idleSettings.ts';
import { kioskSettingDeclarations } from './groups/kioskSettings.ts';
import { mqttSettingDeclarations } from './groups/mqttSettings.ts';
import { serverOf, setting, webAddressOrNone } from './groups/setting.ts';
import { sipSettingDeclarations } from './groups/sipSettings.ts';

export { environmentName } from '../platform/texts.ts';

const MAX_NAME_BYTES = 63;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';

const hostName = z.string().regex(/^[^\s/@]{1,253}$/, 'must be a host name or an address');
/** One label of DNS, as mDNS shows names (RFC 6763 section 4.1.1), and a text that may stand in a SIP header. */
const deviceName = displayText
  .min(1, `must be 1 to ${MAX_NAME_BYTES} bytes`)
  .refine(
    (text) => Buffer.byteLength(text) >= 1 && Buffer.byteLength(text) <= MAX_NAME_BYTES,
    `must be 1 to ${MAX_NAME_BYTES} bytes`,
  );
/** The language of the system's messages, as its environment names it (locale(7)); English where it is another. */
export function systemLanguage(environment: NodeJS.ProcessEnv): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  const locale = LC_ALL || LC_MESSAGES || LANG || '';
  return languages.find((language) => new RegExp(`^${language}(?:[_.@-]|$)`, 'i').test(locale)) ?? 'en';
}

/** Every setting, declared once: file, environment, flags, docs and types come from here. */
export const settingDeclarations = {
  dataDir: setting({
    schema: z.string().min(1),
    kind: 'text',
    default: usualDataFolder(process.env),
    description: 'Folder of the token, the state files and settings.json. Set only by environment or flag.',
  }),
  'device.name': setting({
    schema: deviceName,
    kind: 'text',
    default: hostname().slice(0, MAX_NAME_BYTES) || 'faceplate',
    live: true,
    description: 'Name of the panel, for people and on the network.',
  }),
  'device.language': setting({
    schema: z.enum(languages),
    kind: 'text',
    default: systemLanguage(process.env),
    live: true,
    description: "Language of the panel's own texts and speech.",
  }),
  ...httpSettingDeclarations,
  board: setting({
    schema: z.string().min(1),
    kind: 'text',
    default: 'auto',
    opens: true,
    description: 'auto, the name of a shipped board profile, or the path of a profile file.',
  }),
  'terminal.enabled': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: true,
    live: true,
    owner: true,
    description: 'Whether terminal/exec runs commands.',
  }),
  ...kioskSettingDeclarations,
  'streams.lingerSeconds': setting({
    schema: z.int().min(0).max(3600),
    kind: 'integer',
    default: 20,
    unit: 's',
    live: true,
    description: 'How long a camera connection stays open after its last viewer.',
  }),
  'streams.cameras': setting({
    schema: cameraList,
    kind: 'json',
    default: [],
    live: true,
    hides: 'logins',
    description:
      'Cameras by name, for camera:<name>: [{"name":"Door","url":"onvif://192.168.1.20/","login":{"user":"panel","password":"…"}}]; docs/video.md explains the fields.',
  }),
  'streams.logins': setting({
    schema: z
      .array(
        z.strictObject(
          {
            host: hostName,
            port: z.int().min(1).max(65_535).optional(),
            user: z.string().max(200),
            password: z.string().max(200),
          },
          'each login must be {"host","port" (optional),"user","password"}',
        ),
      )
      .max(100),
    kind: 'json',
    default: [],
    live: true,
    secret: true,
    description:
      'Logins for cameras whose address contains none: [{"host":"192.168.1.20","user":"panel","password":"…"}].',
  }),
  'streams.udpHosts': setting({
    schema: z.array(hostName),
    kind: 'list',
    default: [],
    live: true,
    description: 'Cameras to try with UDP first; if nothing arrives within 3 s, TCP is used.',
  }),
  'streams.oldTlsHosts': setting({
    schema: z.array(hostName),
    kind: 'list',
    default: [],
    live: true,
    description:
      'Cameras that may use TLS 1.0, TLS 1.1 and weak ciphers with rtsps://; others on the network can break these.',
  }),
  'streams.talkFromAfar': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    live: true,
    owner: true,
    description: 'Whether viewers outside the panel may talk to cameras, not only listen.',
  }),
  ...idleSettingDeclarations,
  ...mqttSettingDeclarations,
  ...sipSettingDeclarations,
  'update.channel': setting({
    schema: webAddressOrNone('update.login'),
    kind: 'text',
    default: '',
    live: true,
    hides: 'queries',
    description:
      'Address of the list of versions for this panel (channel.json). Without it, the panel looks for none.',
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
      'Local time in which the panel may install a newer version by itself: 02:00-04:00. Without it, a person installs it.',
  }),
  'update.keys': setting({
    schema: z.string().min(1).max(4_096),
    kind: 'text',
    default: '/etc/faceplate/update-keys.pem',
    description: 'PEM file of the certificates that may sign versions. Set only by environment or flag.',
  }),
  'log.level': setting({
    schema: z.enum(LOG_LEVELS),
    kind: 'text',
    default: 'info',
    live: true,
    description: 'Least severe level that is logged.',
  }),
} as const;

export type SettingKey = keyof typeof settingDeclarations;

/**
 * Settings that only the environment or a flag may set: settings.json cannot name the folder that it is in, and no caller
 * decides who signs what the panel becomes, or opens a port by which any program steers the browser.
 */
export const OUTSIDE_ONLY: readonly SettingKey[] = ['dataDir', 'update.keys', 'kiosk.debugPort'];

/** Whether only the owner may change a setting: it is the owner's, or lets code or a person in. */
export function isOwnersAlone(key: SettingKey): boolean {
  return 'owner' in settingDeclarations[key] || 'opens' in settingDeclarations[key];
}

export type Settings = { readonly [K in SettingKey]: z.output<(typeof settingDeclarations)[K]['schema']> };
export type SettingSource = 'default' | 'file' | 'environment' | 'flag';

/** Whether a flag or the environment sets this setting: then it cannot change while the panel runs. */
export function isFromOutside(source: SettingSource): boolean {
  return source === 'flag' || source === 'environment';
}

/** Whether two values of a setting differ, as JSON has them. */
export function differ(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** Whether a value is empty: an empty text, an empty list, an object without keys. */
export function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/**
 * What is wrong with a value of a setting, with its place inside a list or object; undefined: nothing.
 * @param quotes whether the words go to somebody who may read the setting; a value that others do not see is never in them
 */
export function mistakeWords(key: SettingKey, value: unknown, quotes = false): string | undefined {
  const declaration = settingDeclarations[key];
  const isShown = !('secret' in declaration) && !('hides' in declaration);
  const [mistake] = mistakesOf(declaration.schema, value, { quotes: quotes && isShown });
  return mistake && [mistake.field, mistake.words].filter((part) => part !== '').join(': ');
}

type Json = Record<string, unknown>;

/**
 * JSON Schema of a change of settings, nested as settings.json is; null restores the default. Mistakes that no schema
 * can express (a door named twice) are found when the change is made.
 */
export function settingsSchema(): Json {
  const single: Json = {};
  const groups: Record<string, Json> = {};
  for (const key of Object.keys(settingDeclarations) as SettingKey[]) {
    if (OUTSIDE_ONLY.includes(key)) continue;
    const { schema, description } = settingDeclarations[key];
    const { $schema: _dialect, ...value } = z.toJSONSchema(schema, { io: 'input' });
    const change = { description, anyOf: [value, { type: 'null' }] };
    const [group = '', ...rest] = key.split('.');
    if (rest.length === 0) single[key] = change;
    else groups[group] = { ...groups[group], [rest.join('.')]: change };
  }
  return object({
    ...single,
    ...Object.fromEntries(Object.entries(groups).map(([group, settings]) => [group, object(settings)])),
  });
}

function object(properties: Json): Json {
  return { type: 'object', properties, additionalProperties: false };
}
