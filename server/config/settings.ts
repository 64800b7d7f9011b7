import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { z } from 'zod';
import { type CommandName, outsideCommands } from '../contract/commands.ts';
import { languages } from '../contract/device.ts';
import { ORIGIN_PATTERN } from '../contract/patterns.ts';
import { displayText } from '../intercom/settingsContract.ts';
import { shownSeconds } from '../kiosk/contract.ts';
import { keyLayouts } from '../kiosk/keyboard/contract.ts';
import {
  BROWSER_ARGUMENT_CHARACTERS,
  BROWSER_ARGUMENTS,
  whyRefusedArgument,
} from '../platform/browserArguments.ts';
import { LOG_LEVELS } from '../platform/log.ts';
import { withoutAddressLogins } from './addressLogins.ts';
import { idleSettingDeclarations } from './idleSettings.ts';
import { mqttSettingDeclarations } from './mqttSettings.ts';
import { port, setting } from './setting.ts';
import { sipSettingDeclarations } from './sipSettings.ts';
import { systemLanguage } from './systemLanguage.ts';
import { updateSettingDeclarations } from './updateSettings.ts';
import { webAddress, webAddressOrNone } from './webAddress.ts';

const MAX_NAME_BYTES = 63;

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
const origin = z
  .string()
  // Browsers read an asterisk as any name in some of the places that these go to.
  .refine((text) => isOrigin(text) && !text.includes('*'), {
    message: 'must be an origin such as http://dashboard.local:3000',
  })
  .meta({ pattern: ORIGIN_PATTERN });

/** Whether a text can run as the body of a function: it cannot end that function early. */
function isScript(text: string): boolean {
  try {
    compileFunction(text);
    return true;
  } catch {
    return false;
  }
}

/** A command that can come from outside, by its name in the API. */
const approvable = z.enum(outsideCommands as [CommandName, ...CommandName[]], {
  error: 'must be the name of a command that is called over HTTP or MQTT, such as system.reboot',
});
const queryString = z
  .string()
  .max(2_000)
  .regex(/^[!"$->@-~]*$/, 'must be a query string such as room=12&lang=de, %-encoded, without ? and #');
/** Endings that the public DNS has not (RFC 6762 section 3 and appendix G, `internal`): nobody can buy a name below them. */
const HOUSE_ENDINGS = ['local', 'lan', 'home', 'internal', 'localdomain', 'intranet', 'private', 'corp'];
/**
 * Lower case or not, without port; `*` stands for any number of labels, but never for all names of an ending that
 * anybody can have a name below: such a one may lead here (DNS rebinding).
 */
const allowedHost = z
  .string()
  .max(253)
  .regex(
    /^(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62}))*$/,
    'must be a host name such as panel.lan, or *.example.org',
  )
  .refine((host) => {
    const ending = host.startsWith('*.') ? host.slice(2).toLowerCase() : undefined;
    return ending === undefined || ending.includes('.') || HOUSE_ENDINGS.includes(ending);
  }, 'must have two labels after *., as in *.example.org, or one of a house such as *.lan');
const hostName = z.string().regex(/^[^\s/@]{1,253}$/, 'must be a host name or an address');
/** One label of DNS, as mDNS shows names (RFC 6763 section 4.1.1), and a text that may stand in a SIP header. */
const deviceName = displayText.refine(
  (text) => Buffer.byteLength(text) >= 1 && Buffer.byteLength(text) <= MAX_NAME_BYTES,
  `must be 1 to ${MAX_NAME_BYTES} bytes`,
);
/** The message for a value that does not fit, with its place inside a list or object. */
export function mistakeWords(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'not valid';
  return [...(issue.path.length > 0 ? [issue.path.join('.')] : []), issue.message].join(': ');
}

/** Every setting, declared once: file, environment, flags, docs and types come from here. */
export const settingDeclarations = {
  dataDir: setting({
    schema: z.string().min(1),
    kind: 'text',
    default: join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'faceplate'),
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
    description: 'Language of what the panel itself shows and says.',
  }),
  'http.host': setting({
    schema: z.union([z.ipv4(), z.ipv6(), z.literal('localhost')]),
    kind: 'text',
    default: '0.0.0.0',
    opens: true,
    description: 'Address that the HTTP server listens on, besides loopback.',
  }),
  'http.port': setting({
    schema: port,
    kind: 'integer',
    default: 8080,
    description: 'Port of the HTTP server; 0 takes any free one.',
  }),
  'http.plain': setting({
    schema: z.enum(['all', 'loopback']),
    kind: 'text',
    default: 'all',
    owner: true,
    description:
      'Whom plain HTTP lets in; loopback: this machine alone, while HTTPS is on. Without HTTPS it lets in all.',
  }),
  'http.announce': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: true,
    live: true,
    description: 'Whether the panel announces its address on the network by mDNS, as _faceplate._tcp.',
  }),
  'http.announceInterface': setting({
    schema: z.union([z.literal(''), z.ipv4(), z.string().regex(/^[^\s/]{1,15}$/)], {
      error: 'must be the name of an interface such as eth0, or its IPv4 address',
    }),
    kind: 'text',
    default: '',
    live: true,
    description:
      'Interface that it is announced on: its name or address. Without it, all that http.host covers but loopback.',
  }),
  'http.allowedOrigins': setting({
    schema: z.array(origin),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: 'Browser origins, besides the active project, that may call the API.',
  }),
  'http.allowedHosts': setting({
    schema: z.array(allowedHost).max(64),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description:
      'Further names that this panel is called by, such as panel.lan; *.example.org stands for all names below it.',
  }),
  'https.port': setting({
    schema: z.union([z.literal('off'), port]),
    kind: 'integer',
    default: 'off',
    owner: true,
    description: 'Port of the same API over HTTPS; 0 takes any free one.',
  }),
  'https.certificate': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    owner: true,
    description:
      'PEM file of the certificate, with those between it and its authority; without it, the panel makes its own.',
  }),
  'https.key': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    owner: true,
    description: 'PEM file of the private key of https.certificate.',
  }),
  token: setting({
    schema: z.string().regex(/^(?:[!-~]{16,256})?$/, 'must be 16 to 256 printable characters without blanks'),
    kind: 'text',
    default: '',
    secret: true,
    owner: true,
    description:
      'Bearer token of the API; without it, one is made at the first start and kept in <dataDir>/token.',
  }),
  'approval.commands': setting({
    schema: z.array(approvable).max(outsideCommands.length),
    kind: 'list',
    default: [],
    live: true,
    owner: true,
    description:
      'Commands that wait for a yes at the panel when somebody calls them from outside, such as system.reboot, terminal.exec.',
  }),
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
  host: setting({
    schema: z.enum(['auto', 'electron', 'chromium', 'none']),
    kind: 'text',
    default: 'auto',
    opens: true,
    description:
      'What shows the kiosk page: electron, chromium, none for the API alone, or auto: Electron where npm start finds one that may run, else Chromium.',
  }),
  'kiosk.url': setting({
    schema: webAddressOrNone(),
    kind: 'text',
    default: '',
    live: true,
    hides: 'queries',
    description: 'Page to show instead of the active project or the demo.',
  }),
  'kiosk.pages': setting({
    schema: z
      .array(
        z.strictObject(
          { name: z.string().min(1).max(64), url: webAddress, seconds: shownSeconds.optional() },
          'each page must be {"name","url","seconds" (optional)}',
        ),
      )
      .max(64)
      .refine((pages) => new Set(pages.map(({ name }) => name)).size === pages.length, {
        message: 'two pages have the same name',
      }),
    kind: 'json',
    default: [],
    live: true,
    hides: 'queries',
    description:
      'Pages that can be shown by name: [{"name":"Weather","url":"https://…","seconds":20}]. Those with seconds take turns by themselves.',
  }),
  'kiosk.inject': setting({
    schema: z
      .array(
        z.strictObject(
          {
            origin,
            css: z.string().max(65_536).optional(),
            js: z.string().max(65_536).refine(isScript, { message: 'is no script' }).optional(),
          },
          'each entry must be {"origin","css" (optional),"js" (optional)}',
        ),
      )
      .max(32),
    kind: 'json',
    default: [],
    live: true,
    opens: true,
    hides: 'all',
    description:
      'Styles and scripts that pages of an origin get before their own: [{"origin":"http://hub.local","css":"header{display:none}"}].',
  }),
  'kiosk.userAgent': setting({
    schema: z
      .string()
      .max(200)
      .regex(/^(?:[!-~](?:[ -~]*[!-~])?)?$/, 'must be ASCII, without blanks at its ends'),
    kind: 'text',
    default: '',
    description: 'Text at the end of what the browser calls itself, for servers that know panels by it.',
  }),
  'kiosk.logins': setting({
    schema: z
      .array(
        z.strictObject(
          { origin, username: z.string().max(200), password: z.string().max(200) },
          'each login must be {"origin","username","password"}',
        ),
      )
      .max(32)
      .refine((logins) => new Set(logins.map((login) => login.origin)).size === logins.length, {
        message: 'two logins are for the same origin',
      }),
    kind: 'json',
    default: [],
    secret: true,
    live: true,
    description:
      'Logins for servers that ask for one (HTTP authentication): [{"origin":"https://hub.local","username":"panel","password":"…"}].',
  }),
  'kiosk.authorities': setting({
    schema: z.union([z.string().max(4_096), z.array(z.string().min(1).max(4_096)).max(16)]),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description:
      'PEM files of certificate authorities that the page may trust besides those of the system, such as the house’s own.',
  }),
  'kiosk.secureOrigins': setting({
    schema: z.array(origin).max(32),
    kind: 'list',
    default: [],
    opens: true,
    description:
      'Origins by http that count as secure, so that their pages get what only secure pages have, such as the microphone.',
  }),
  'kiosk.scrollbars': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: 'Whether pages show scrollbars; they can be scrolled without them too.',
  }),
  'kiosk.browserArguments': setting({
    schema: z
      .array(
        z
          .string()
          .max(BROWSER_ARGUMENT_CHARACTERS)
          .superRefine((argument, context) => {
            const why = whyRefusedArgument(argument);
            if (why !== undefined) context.addIssue({ code: 'custom', message: why });
          })
          .meta({ pattern: '^--(?:use-gl=egl|use-angle=(?:gl|gles|vulkan))$' }),
      )
      .max(BROWSER_ARGUMENTS),
    kind: 'json',
    default: [],
    opens: true,
    description:
      'Switches for the graphics of a board, such as ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md lists all that are taken.',
  }),
  'kiosk.project': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    description: 'Path of a project archive (.zip or .ch5z) that is installed and shown at every start.',
  }),
  'kiosk.parameters': setting({
    schema: queryString,
    kind: 'text',
    default: '',
    live: true,
    hides: 'texts',
    description: 'Query string that is added to the address of the page, such as room=12&lang=de.',
  }),
  'projects.parameters': setting({
    schema: z.record(z.string(), queryString),
    kind: 'json',
    default: {},
    live: true,
    hides: 'texts',
    description: 'Query strings by project id, added before kiosk.parameters: {"lobby-panel":"room=12"}.',
  }),
  'kiosk.headless': setting({
    schema: z.union([z.literal('auto'), z.boolean()]),
    kind: 'switch',
    default: 'auto',
    description: 'Run the browser without a display; auto: when there is none.',
  }),
  wizard: setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description:
      'Whether a panel that was never set up asks for language, name, PIN, network and what to show when it starts.',
  }),
  'keyboard.enabled': setting({
    schema: z.union([z.literal('auto'), z.boolean()]),
    kind: 'switch',
    default: 'auto',
    live: true,
    description:
      'Whether the screen shows a keyboard; auto: where a touch reaches a field, while no keyboard is plugged in.',
  }),
  'keyboard.layouts': setting({
    schema: z.array(z.enum(keyLayouts)).max(keyLayouts.length),
    kind: 'list',
    default: [],
    live: true,
    description:
      'Layouts of that keyboard: en, de, es, the first of them at first; without any, that of device.language.',
  }),
  'kiosk.debugPort': setting({
    schema: z.union([z.literal('off'), port]),
    kind: 'integer',
    default: 'off',
    description:
      'For tests: a DevTools port on 127.0.0.1; 0 takes any free one. Set only by environment or flag.',
  }),
  'kiosk.user': setting({
    schema: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be a user name'),
    kind: 'text',
    default: 'faceplate-kiosk',
    opens: true,
    description:
      'User that the browser runs as when the service is root; when it does not exist, the user nobody.',
  }),
  'kiosk.fakeMedia': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: "For tests: the browser's fake camera and microphone.",
  }),
  'kiosk.deadPageCheck': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: true,
    live: true,
    description:
      'Bring the page back when it has visible content but the screen shows one colour for a minute.',
  }),
  'kiosk.pin': setting({
    schema: z.string().regex(/^(?:[0-9]{4,8})?$/, 'must be 4 to 8 digits'),
    kind: 'text',
    default: '',
    secret: true,
    live: true,
    opens: true,
    description: 'PIN of the settings page; without it, the page asks for a new one when it is first opened.',
  }),
  'kiosk.memoryLimit': setting({
    schema: z.union([z.literal('auto'), z.int().min(0).max(1_048_576)]),
    kind: 'integer',
    default: 'auto',
    unit: 'MiB',
    live: true,
    description:
      'How much memory the browser may use. Above it the browser is restarted at a quiet moment, above 150 % of it at once. 0: no limit; auto: 60 % of the memory of the panel.',
  }),
  'kiosk.quietHour': setting({
    schema: z.int().min(0).max(23),
    kind: 'integer',
    default: 3,
    live: true,
    description: 'Hour of the day, local time, in which a restart of the browser disturbs nobody.',
  }),
  'bridge.origins': setting({
    schema: z.array(origin),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: 'Origins, besides the active project, whose top page gets window.container.',
  }),
  'bridge.aliases': setting({
    schema: z.array(z.string().regex(/^[A-Za-z_$][\w$]{0,63}$/, 'must be a JavaScript name')),
    kind: 'list',
    default: [],
    opens: true,
    description: 'More global names for window.container, such as appcontainer.',
  }),
  'bridge.allowInstall': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    live: true,
    opens: true,
    description: 'Whether pages may install packages (window.MobileBridge.oemInstallApk).',
  }),
  'apps.installDir': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    opens: true,
    description: 'Folder below which package files may be installed; without it, <dataDir>/packages.',
  }),
  'streams.lingerSeconds': setting({
    schema: z.int().min(0).max(3600),
    kind: 'integer',
    default: 20,
    unit: 's',
    live: true,
    description: 'How long a camera connection stays open after its last viewer.',
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
    description: 'Cameras where UDP is tried first; when nothing arrives within 3 s, TCP is used.',
  }),
  ...idleSettingDeclarations,
  ...mqttSettingDeclarations,
  ...sipSettingDeclarations,
  ...updateSettingDeclarations,
  'log.level': setting({
    schema: z.enum(LOG_LEVELS),
    kind: 'text',
    default: 'info',
    live: true,
    description: 'Least severe level that is logged.',
  }),
} as const;

/** Converts a key that a version dropped or changed. */
export interface SettingsStep {
  /** The version of the service that changed the key. */
  readonly version: string;
  /**
   * Gets every value by its key, `http.port`; for a group in which no setting is left, the group. Keys may be missing.
   */
  change(values: Map<string, unknown>): Map<string, unknown>;
}

/** From the earliest to the latest. */
export const settingsSteps: readonly SettingsStep[] = [
  // Only the environment or a flag opens it now; a file that still names it should not stop the panel.
  {
    version: '0.1.0',
    change: (values) => new Map([...values].filter(([key]) => key !== 'kiosk.debugPort')),
  },
  // Whoever may read an address would read its login.
  { version: '0.1.0', change: withoutAddressLogins },
];

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

/** Whether a flag or the environment holds a setting: it is followed, and nobody changes it while the panel runs. */
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

/** Environment variable of a setting: `kiosk.debugPort` is FACEPLATE_KIOSK_DEBUG_PORT. */
export function environmentName(key: string): string {
  return `FACEPLATE_${key
    .replaceAll('.', '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}
