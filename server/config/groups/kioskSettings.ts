import { compileFunction } from 'node:vm';
import { z } from 'zod';
import { shownSeconds } from '../../kiosk/contract.ts';
import { keyLayouts } from '../../kiosk/keyboard/contract.ts';
import {
  BROWSER_ARGUMENT_CHARACTERS,
  BROWSER_ARGUMENTS,
  whyRefusedArgument,
} from '../../platform/browserArguments.ts';
import { origin, port, setting, webAddress, webAddressOrNone } from './setting.ts';

/** Whether a text can run as the body of a function: it cannot end that function early. */
function isScript(text: string): boolean {
  try {
    compileFunction(text);
    return true;
  } catch {
    return false;
  }
}

const queryString = z
  .string()
  .max(2_000)
  .regex(/^[!"$->@-~]*$/, 'must be a query string such as room=12&lang=de, %-encoded, without ? and #');

/** The settings of the page, its window, its bridge and its keyboard. */
export const kioskSettingDeclarations = {
  host: setting({
    schema: z.enum(['auto', 'electron', 'chromium', 'none']),
    kind: 'text',
    default: 'auto',
    opens: true,
    description:
      'Browser of the kiosk page: electron, chromium, none for the API alone, or auto: Electron if npm start finds one that may run, else Chromium.',
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
      'Pages that can be shown by name: [{"name":"Weather","url":"https://…","seconds":20}]. Those with seconds rotate automatically.',
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
      'Styles and scripts for pages of an origin, added before their own: [{"origin":"http://hub.local","css":"header{display:none}"}].',
  }),
  'kiosk.userAgent': setting({
    schema: z
      .string()
      .max(200)
      .regex(/^(?:[!-~](?:[ -~]*[!-~])?)?$/, 'must be ASCII, without blanks at its ends'),
    kind: 'text',
    default: '',
    description: 'Text at the end of the user agent, for servers that recognise panels by it.',
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
      "PEM files of certificate authorities to trust in addition to the system's, such as your own.",
  }),
  'kiosk.secureOrigins': setting({
    schema: z.array(origin).max(32),
    kind: 'list',
    default: [],
    opens: true,
    description:
      'http origins that count as secure, so that their pages may use features such as the microphone.',
  }),
  'kiosk.thirdPartyCookies': setting({
    schema: z.array(z.union([z.literal('auto'), origin])).max(32),
    kind: 'list',
    default: ['auto'],
    live: true,
    description:
      'Origins of pages in whose frames other sites may store cookies, such as the login of a camera; auto: those of kiosk.url and kiosk.pages.',
  }),
  'kiosk.scrollbars': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description: 'Whether pages show scrollbars; they scroll without them too.',
  }),
  'kiosk.screenReader': setting({
    schema: z.boolean(),
    kind: 'switch',
    default: false,
    description:
      'Whether a screen reader can read what is on the screen (AT-SPI); the browser then uses more memory and time.',
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
      'Switches for the graphics of a board, such as ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md lists all of them.',
  }),
  'kiosk.project': setting({
    schema: z.string(),
    kind: 'text',
    default: '',
    description: 'Path of a project archive (.zip or .ch5z) to install and show at every start.',
  }),
  'kiosk.parameters': setting({
    schema: queryString,
    kind: 'text',
    default: '',
    live: true,
    hides: 'texts',
    description: 'Query string to add to the address of the page, such as room=12&lang=de.',
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
    description: 'Whether a new panel shows the set-up wizard when it starts.',
  }),
  'keyboard.enabled': setting({
    schema: z.union([z.literal('auto'), z.boolean()]),
    kind: 'switch',
    default: 'auto',
    live: true,
    description: 'On-screen keyboard; auto: at a touch on a field, while no keyboard is plugged in.',
  }),
  'keyboard.layouts': setting({
    schema: z.array(z.enum(keyLayouts)).max(keyLayouts.length),
    kind: 'list',
    default: [],
    live: true,
    description:
      'Layouts of the on-screen keyboard: en, de, es. The first one appears first; the default is that of device.language.',
  }),
  'kiosk.debugPort': setting({
    schema: z.union([z.literal('off'), port]),
    kind: 'integer',
    default: 'off',
    description:
      'For tests: a DevTools port on 127.0.0.1; 0 uses any free port. Set only by environment or flag.',
  }),
  'kiosk.user': setting({
    schema: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be a user name'),
    kind: 'text',
    default: 'faceplate-kiosk',
    opens: true,
    description: 'User of the browser when the service is root; if it does not exist, the user nobody.',
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
    description: 'Reload the page when it has content but the screen shows one colour for a minute.',
  }),
  'kiosk.pin': setting({
    schema: z.string().regex(/^(?:[0-9]{4,8})?$/, 'must be 4 to 8 digits'),
    kind: 'text',
    default: '',
    secret: true,
    live: true,
    opens: true,
    description: 'PIN of the settings page; it overrides the PIN that was chosen on the panel.',
  }),
  'kiosk.memoryLimit': setting({
    schema: z.union([z.literal('auto'), z.int().min(0).max(1_048_576)]),
    kind: 'integer',
    default: 'auto',
    unit: 'MiB',
    live: true,
    description:
      "Memory limit of the browser. Above it, the browser restarts at a quiet moment; above 150 % of it, at once. 0: no limit; auto: 60 % of the panel's memory.",
  }),
  'kiosk.quietHour': setting({
    schema: z.int().min(0).max(23),
    kind: 'integer',
    default: 3,
    live: true,
    description: 'Hour of the day, local time, in which the browser may restart.',
  }),
  'bridge.origins': setting({
    schema: z.array(origin),
    kind: 'list',
    default: [],
    live: true,
    opens: true,
    description: 'Origins whose top page gets window.container, in addition to the active project.',
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
} as const;
