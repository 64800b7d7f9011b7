import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { joinedArguments, PAGE_SWITCHES } from '../../../platform/browserArguments.ts';
import type { BrowserExtras } from '../../../platform/kioskJobs.ts';
import type { KioskUser } from '../../../platform/privileges.ts';

interface CommandLineOptions {
  readonly profileDir: string;
  readonly headless: boolean;
  /** A DevTools port on 127.0.0.1 beside the pipe, for tests; 0 = any free one; undefined = none. */
  readonly debugPort: number | undefined;
  /** Bare windows for a compositor that places them. */
  readonly apps: boolean;
  /** The browser's fake camera and microphone. */
  readonly fakeMedia: boolean;
}

/** What a new kiosk window shows first. about:blank is white: a dark panel would light up, and an app cannot begin there. */
export const EMPTY_PAGE = 'data:text/html,<body style=background:black>';

/** The browser's arguments. Its sandbox is never switched off. */
export function commandLine(options: CommandLineOptions): string[] {
  const flags = [
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profileDir}`,
    // Without it the first window shows a bar about our flags, also an app's, which its compositor takes out of full screen.
    '--kiosk',
    ...PAGE_SWITCHES,
    '--no-first-run',
    '--no-default-browser-check',
    '--noerrdialogs',
    '--hide-crash-restore-bubble',
    '--disable-extensions',
    '--disable-session-crashed-bubble',
    '--disable-sync',
  ];
  if (options.headless) {
    // Kiosk mode fills the screen, so headless mode needs the size of the screen that it simulates.
    flags.push('--headless', '--window-size=1280,800', '--screen-info={1280x800}');
  } else {
    // Its windows know no shortcut of the browser but reload, history and zoom, wherever the focus is. A headless one would
    // not fill its screen, and no one sees it.
    flags.push('--force-app-mode');
  }
  if (options.fakeMedia) flags.push('--use-fake-device-for-media-stream');
  if (options.debugPort !== undefined) flags.push(`--remote-debugging-port=${options.debugPort}`);
  // The bridge has to be ready before the first real page.
  flags.push(options.apps ? `--app=${EMPTY_PAGE}` : EMPTY_PAGE);
  return flags;
}

/**
 * What the browser needs of the service's environment. Everything else, above all the token, stays with the service.
 */
const PASSED_ON =
  /^(PATH|LANG|LANGUAGE|LC_.+|TZ|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|XDG_RUNTIME_DIR|XDG_SESSION_TYPE|PULSE_SERVER|PIPEWIRE_.+|LIBVA_.+)$/;

/** Makes the browser's windows black until their pages are drawn. When its user cannot read it, they stay light. */
const GTK_SETTINGS = join(import.meta.dirname, 'gtk');

/** Where a screen reader meets the browser (AT-SPI 2, over the bus of the session). */
const READ_BY = /^(DBUS_SESSION_BUS_ADDRESS|AT_SPI_BUS_ADDRESS)$/;

/** The browser's environment; its home is the user's own, or the profile folder. */
export function browserEnv(
  env: NodeJS.ProcessEnv,
  profileDir: string,
  user: KioskUser | undefined,
  { screenReader }: Pick<BrowserExtras, 'screenReader'>,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => PASSED_ON.test(name) || (screenReader && READ_BY.test(name)),
  );
  const home = user === undefined ? env.HOME : user.home;
  return {
    ...Object.fromEntries(kept),
    // Its own windows too, whatever the desktop's setting is.
    ...(screenReader && { ACCESSIBILITY_ENABLED: '1' }),
    HOME: home ?? profileDir,
    XDG_CONFIG_HOME: GTK_SETTINGS,
    // Otherwise its crash reports go below XDG_CONFIG_HOME, where it may not write, and that can end it at its start.
    BREAKPAD_DUMP_LOCATION: join(profileDir, 'crashes'),
  };
}

const VERSION_MS = 5_000;

/** Our switches with those that the settings add. @throws Error when the browser does not tell its version */
export async function withExtras(
  flags: readonly string[],
  { userAgent, scrollbars, screenReader, browserArguments }: BrowserExtras,
  { binary, headless }: { readonly binary: string; readonly headless: boolean },
): Promise<string[]> {
  const further = [...browserArguments];
  if (!scrollbars) further.push('--hide-scrollbars');
  if (screenReader) further.push('--force-renderer-accessibility');
  // By a switch it holds for every frame, worker and request; over DevTools it would miss some.
  if (userAgent !== '') further.push(`--user-agent=${await ownUserAgent(binary, headless)} ${userAgent}`);
  return joinedArguments(flags, further);
}

/** What Chromium calls itself: since its user agent was reduced only the first number of its version differs. */
async function ownUserAgent(binary: string, headless: boolean): Promise<string> {
  // Nothing else of our environment: the token may be in it.
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
  const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: VERSION_MS, env });
  const major = /(\d+)\.\d+\.\d+\.\d+/.exec(stdout)?.[1];
  if (major === undefined) throw new Error('The browser does not tell its version.');
  const name = headless ? 'HeadlessChrome' : 'Chrome';
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${name}/${major}.0.0.0 Safari/537.36`;
}

/** Debian's name first; Ubuntu's `chromium-browser` last, as it may be a snap that cannot reach our profile folder. */
const NAMES = ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];

/** Finds the system's Chromium in the folders of `path`. @returns its path, or undefined when there is none. */
export function findChromium(path: string = process.env.PATH ?? ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const name of NAMES) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
