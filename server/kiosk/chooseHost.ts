import type { Logger } from '../platform/log.ts';
import type { SwayIpc } from '../platform/sway/swayIpc.ts';
import { ChromiumHost } from './chromium/chromiumHost.ts';
import { browserStart } from './early.ts';
import type { HostDependencies, KioskHost } from './host.ts';
import { NoHost } from './noHost.ts';
import { SwayStack } from './sway/swayStack.ts';
import type { WindowStack } from './windowStack.ts';
import { X11Stack } from './x11/x11Stack.ts';

/**
 * The host that the settings ask for, when the service runs without Electron. `auto` takes the system's Chromium, as what
 * starts the service has decided against Electron (build/setup/electron/chooseElectron.mjs); without Chromium only the API runs.
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
  const browser = browserStart({ settings, session, log });
  if (browser === undefined) {
    if (wanted === 'chromium')
      throw new Error('Chromium is not installed. On Debian: apt-get install chromium');
    log.warn('kiosk: Chromium is not installed, only the API runs');
    return new NoHost();
  }
  return new ChromiumHost({
    ...browser,
    early: dependencies.early,
    stack: browser.headless ? undefined : windowStack(session.sway, process.env, log),
    onDebugPort: (port) => print(`faceplate devtools http://127.0.0.1:${port}`),
    pageExtras: dependencies.pageExtras,
    onActivity: dependencies.onActivity?.bind(dependencies),
    onKeepAwake: dependencies.onKeepAwake?.bind(dependencies),
    onBrowserBack: dependencies.onBrowserBack?.bind(dependencies),
    recoverySettings,
    onSettingsCall: dependencies.onSettingsCall?.bind(dependencies),
    onField: dependencies.onField?.bind(dependencies),
    onPageState: dependencies.onPageState?.bind(dependencies),
    onDialog: dependencies.onDialog?.bind(dependencies),
    onPageTrouble: dependencies.onPageTrouble?.bind(dependencies),
    policy,
    certificates,
    spec,
  });
}

/** What places the windows of this screen. The browser prefers Wayland, where no program but the compositor may. */
function windowStack(
  sway: SwayIpc | undefined,
  { DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv,
  log: Logger,
): WindowStack | undefined {
  if (sway !== undefined) return new SwayStack({ ipc: sway, log });
  return DISPLAY && !WAYLAND_DISPLAY ? new X11Stack({ display: DISPLAY, log }) : undefined;
}
