import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from 'electron';
import type { Settings } from '../server/config/settings.ts';
import { joinedArguments, LIST_SWITCHES } from '../server/platform/browserArguments.ts';
import { PAGE_SWITCHES } from '../server/platform/pageSwitches.ts';
import { removeStaleSocket } from './staleSocket.ts';

/** Below the data folder: profiles, caches and the lock of the only instance. */
const USER_DATA = 'electron';

const NO_SANDBOX =
  'Faceplate never runs without the sandbox of its browser, and this machine or its command line (--no-sandbox) would take it away. Allow user namespaces for programs without privileges (docs/electron.md), install the Debian package, or use host=chromium.';

/**
 * Sets what Electron needs before it is ready.
 * @throws Error when another Faceplate runs on this data folder, or the sandbox is off
 */
export function prepareApp(app: App, settings: Settings): void {
  app.enableSandbox();
  // Also what an AppImage or a variable of the environment added.
  if (app.commandLine.hasSwitch('no-sandbox')) throw new Error(NO_SANDBOX);
  // From the sources the program is called "Electron", and would share profile and lock with every other one.
  app.setName('Faceplate');
  const userData = resolve(settings.dataDir, USER_DATA);
  mkdirSync(userData, { recursive: true, mode: 0o700 });
  app.setPath('userData', userData);
  addSwitches(app, settings);
  removeStaleSocket(userData);
  if (!app.requestSingleInstanceLock())
    throw new Error(`Faceplate runs already on the data folder ${settings.dataDir}.`);
  // The API keeps running when its window is closed.
  app.on('window-all-closed', () => {});
}

/** The switches of the Chromium host, and what the settings add to them; all before Chromium's threads start. */
function addSwitches(app: App, settings: Settings): void {
  const { commandLine } = app;
  const further = [...(settings['kiosk.browserArguments'] ?? [])];
  if (settings['kiosk.fakeMedia']) further.push('--use-fake-device-for-media-stream');
  if (!settings['kiosk.scrollbars']) further.push('--hide-scrollbars');
  const secure = settings['kiosk.secureOrigins'] ?? [];
  if (secure.length > 0) further.push(`--unsafely-treat-insecure-origin-as-secure=${secure.join(',')}`);
  const text = settings['kiosk.userAgent'] ?? '';
  if (text !== '') app.userAgentFallback = `${app.userAgentFallback} ${text}`;
  // What a person gave on the command line stands there already: lists must come once, with all their values.
  const given = LIST_SWITCHES.filter((name) => commandLine.hasSwitch(name)).map(
    (name) => `--${name}=${commandLine.getSwitchValue(name)}`,
  );
  for (const argument of joinedArguments(PAGE_SWITCHES, [...given, ...further])) {
    const [name = '', ...value] = argument.slice(2).split('=');
    if (value.length === 0) commandLine.appendSwitch(name);
    else commandLine.appendSwitch(name, value.join('='));
  }
}
