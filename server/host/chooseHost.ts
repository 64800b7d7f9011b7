import { maySwitchUser } from '../observe/privileges.ts';
import { ChromiumHost } from './chromium/chromiumHost.ts';
import { findChromium } from './chromium/findChromium.ts';
import { kioskUser } from './chromium/kioskUser.ts';
import { chooseProfileDir } from './chromium/profileDir.ts';
import type { HostDependencies, KioskHost } from './host.ts';
import { NoHost } from './noHost.ts';

/**
 * The host that the settings ask for, where the service runs without Electron. `auto` takes the system's Chromium, and
 * the API alone where there is none.
 * @throws Error when the host that is named cannot be had
 */
export async function chooseHost(dependencies: HostDependencies): Promise<KioskHost> {
  const { settings, upkeep, policy, certificates, spec, log, print } = dependencies;
  const wanted = settings.host;
  if (wanted === 'none') return new NoHost();
  if (wanted === 'electron')
    throw new Error(
      'host=electron is started by npm start -- --host electron, or by the Electron package of Faceplate; use host=chromium here.',
    );
  const binary = findChromium();
  if (binary === undefined) {
    if (wanted === 'chromium')
      throw new Error('Chromium is not installed. On Debian: apt-get install chromium');
    log.warn('Chromium is not installed: the API runs alone, no kiosk page is shown');
    return new NoHost();
  }
  const user = maySwitchUser() ? kioskUser(settings['kiosk.user']) : undefined;
  const headless = settings['kiosk.headless'];
  const debugPort = settings['kiosk.debugPort'];
  return new ChromiumHost({
    binary,
    profileDir: await chooseProfileDir(settings.dataDir, user),
    headless: headless === 'auto' ? !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY : headless,
    debugPort: debugPort === 'off' ? undefined : debugPort,
    onDebugPort: (port) => print(`faceplate devtools http://127.0.0.1:${port}`),
    user,
    fakeMedia: settings['kiosk.fakeMedia'],
    onActivity: dependencies.onActivity?.bind(dependencies),
    onBrowserBack: dependencies.onBrowserBack?.bind(dependencies),
    upkeep,
    onSettingsCall: dependencies.onSettingsCall?.bind(dependencies),
    env: process.env,
    policy,
    certificates,
    spec,
    log,
  });
}
