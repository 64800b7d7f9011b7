import { ChromiumHost } from './chromium/chromiumHost.ts';
import type { HostDependencies, KioskHost } from './host.ts';
import { NoHost } from './noHost.ts';

/**
 * The host that the settings ask for, when the service runs without Electron. `auto` takes the system's Chromium;
 * without Chromium only the API runs.
 * @throws Error when the named host is not available
 */
export async function chooseHost(dependencies: HostDependencies): Promise<KioskHost> {
  const { settings, recoverySettings, policy, certificates, spec, session, log, print } = dependencies;
  const wanted = settings.host;
  if (wanted === 'none') return new NoHost();
  if (wanted === 'electron')
    throw new Error(
      'host=electron is started by npm start -- --host electron, or by the Electron package of Faceplate; use host=chromium here.',
    );
  const { browser: binary, profileDir, user, starter } = session;
  if (binary === undefined) {
    if (wanted === 'chromium')
      throw new Error('Chromium is not installed. On Debian: apt-get install chromium');
    log.warn('Chromium is not installed: only the API runs, no kiosk page is shown');
    return new NoHost();
  }
  const headless = settings['kiosk.headless'];
  const debugPort = settings['kiosk.debugPort'];
  return new ChromiumHost({
    binary,
    profileDir,
    headless: headless === 'auto' ? !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY : headless,
    debugPort: debugPort === 'off' ? undefined : debugPort,
    onDebugPort: (port) => print(`faceplate devtools http://127.0.0.1:${port}`),
    user,
    starter,
    fakeMedia: settings['kiosk.fakeMedia'],
    onActivity: dependencies.onActivity?.bind(dependencies),
    onBrowserBack: dependencies.onBrowserBack?.bind(dependencies),
    recoverySettings,
    onSettingsCall: dependencies.onSettingsCall?.bind(dependencies),
    onPageState: dependencies.onPageState?.bind(dependencies),
    onPageTrouble: dependencies.onPageTrouble?.bind(dependencies),
    env: process.env,
    policy,
    certificates,
    spec,
    log,
  });
}
