import type { BrowserStart } from './chromium/browserProgram.ts';
import { EarlyBrowser } from './chromium/earlyBrowser.ts';
import type { HostDependencies } from './host.ts';

/**
 * Makes the browser that `chooseHost` will want, to be started before the rest of the service.
 * @param loginOrigins the origins that may ask for a login
 * @returns undefined where the page is shown by something else, or by nothing
 */
export function earlyBrowser(
  facts: Pick<HostDependencies, 'settings' | 'session' | 'log'>,
  loginOrigins: readonly string[],
): EarlyBrowser | undefined {
  const { settings, session } = facts;
  if (settings.host === 'none' || settings.host === 'electron') return undefined;
  const browser = browserStart(facts);
  // The host says what is wrong.
  if (browser === undefined || (process.getuid?.() === 0 && browser.user === undefined)) return undefined;
  return new EarlyBrowser({
    ...browser,
    apps: !browser.headless && session.sway !== undefined,
    loginOrigins,
  });
}

/** How the system's Chromium is started; undefined where there is none. */
export function browserStart({
  settings,
  session,
  log,
}: Pick<HostDependencies, 'settings' | 'session' | 'log'>): BrowserStart | undefined {
  const { browser: binary, profileDir, user, starter } = session;
  if (binary === undefined) return undefined;
  const setting = settings['kiosk.headless'];
  const debugPort = settings['kiosk.debugPort'];
  return {
    binary,
    profileDir,
    headless: setting === 'auto' ? !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY : setting,
    debugPort: debugPort === 'off' ? undefined : debugPort,
    user,
    starter,
    fakeMedia: settings['kiosk.fakeMedia'],
    browserExtras: {
      userAgent: settings['kiosk.userAgent'],
      scrollbars: settings['kiosk.scrollbars'],
      browserArguments: settings['kiosk.browserArguments'],
      secureOrigins: settings['kiosk.secureOrigins'],
    },
    env: process.env,
    log,
  };
}
