import { join } from 'node:path';
import type { KioskUser } from './kioskUser.ts';

export interface CommandLineOptions {
  readonly profileDir: string;
  readonly headless: boolean;
  /** A DevTools port on 127.0.0.1 beside the pipe, for tests; 0 = any free one; undefined = none. */
  readonly debugPort: number | undefined;
  /** The browser's fake camera and microphone. */
  readonly fakeMedia: boolean;
}

/** Features that would show a page outside the targets we watch, or talk to somebody without being asked. */
const DISABLED_FEATURES = [
  'AutofillServerCommunication',
  'BackForwardCache',
  'MediaRouter',
  'OptimizationHints',
  'Prerender2',
  'Translate',
];

/** The browser's arguments. Its sandbox is never switched off. */
export function commandLine(options: CommandLineOptions): string[] {
  const flags = [
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profileDir}`,
    '--kiosk',
    // The windows are black (GTK_SETTINGS), which would tell pages that a dark theme is wanted.
    '--blink-settings=preferredColorScheme=1',
    '--no-first-run',
    '--no-default-browser-check',
    '--noerrdialogs',
    '--hide-crash-restore-bubble',
    '--deny-permission-prompts',
    '--password-store=basic',
    '--autoplay-policy=no-user-gesture-required',
    '--overscroll-history-navigation=0',
    '--disable-background-networking',
    // A page that sleeps below the dark window, or behind a launched app, runs on as if it were seen.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-component-update',
    '--disable-extensions',
    '--disable-pinch',
    '--disable-quic',
    '--disable-session-crashed-bubble',
    '--disable-sync',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ];
  if (options.headless) {
    // Kiosk mode fills the screen, so the screen that headless mode plays has to be told too.
    flags.push('--headless', '--window-size=1280,800', '--screen-info={1280x800}');
  }
  if (options.fakeMedia) flags.push('--use-fake-device-for-media-stream');
  if (options.debugPort !== undefined) flags.push(`--remote-debugging-port=${options.debugPort}`);
  // The bridge has to be in place before the first real page.
  flags.push('about:blank');
  return flags;
}

/** What the browser needs of the service's environment. Everything else, the token above all, stays with the service. */
const PASSED_ON =
  /^(PATH|LANG|LANGUAGE|LC_.+|TZ|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|XDG_RUNTIME_DIR|XDG_SESSION_TYPE|PULSE_SERVER|PIPEWIRE_.+|LIBVA_.+)$/;

/** Makes the browser's windows black until their pages are drawn. Where its user cannot read it, they stay light. */
const GTK_SETTINGS = join(import.meta.dirname, 'gtk');

/** The browser's environment; its home is the user's own, or the profile folder. */
export function browserEnv(
  env: NodeJS.ProcessEnv,
  profileDir: string,
  user: KioskUser | undefined,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
  const home = user === undefined ? env.HOME : user.home;
  return { ...Object.fromEntries(kept), HOME: home ?? profileDir, XDG_CONFIG_HOME: GTK_SETTINGS };
}
