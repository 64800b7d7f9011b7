import type { App } from 'electron';
import type { Settings } from '../server/config/settings.ts';
import { joinedArguments } from '../server/platform/browserArguments.ts';

/**
 * Sets what Electron needs before it is ready.
 * @throws Error when another Faceplate runs for this user
 */
export function prepareApp(app: App, settings: Settings): void {
  app.enableSandbox();
  const { commandLine } = app;
  commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  commandLine.appendSwitch('disable-pinch');
  commandLine.appendSwitch('disable-quic');
  if (settings['kiosk.fakeMedia']) commandLine.appendSwitch('use-fake-device-for-media-stream');
  addExtras(app, settings);
  if (!app.requestSingleInstanceLock()) throw new Error('Faceplate runs already.');
  // The API keeps running when its window is closed.
  app.on('window-all-closed', () => {});
}

/** What the settings add to the browser: as switches, which hold for all of it. */
function addExtras(app: App, settings: Settings): void {
  const { commandLine } = app;
  const secure = settings['kiosk.secureOrigins'] ?? [];
  const text = settings['kiosk.userAgent'] ?? '';
  if (!settings['kiosk.scrollbars']) commandLine.appendSwitch('hide-scrollbars');
  if (secure.length > 0)
    commandLine.appendSwitch('unsafely-treat-insecure-origin-as-secure', secure.join(','));
  if (text !== '') app.userAgentFallback = `${app.userAgentFallback} ${text}`;
  for (const argument of joinedArguments([], settings['kiosk.browserArguments'] ?? [])) {
    const [name = '', ...value] = argument.slice(2).split('=');
    if (value.length === 0) commandLine.appendSwitch(name);
    else commandLine.appendSwitch(name, value.join('='));
  }
}
