import { FaceplateError } from '../contract/errors.ts';
import { whyNoRoom } from '../platform/files/wholeFile.ts';
import type { Logger } from '../platform/log.ts';
import type { SwayIpc } from '../platform/sway/swayIpc.ts';
import { ChromiumHost } from './chromium/chromiumHost.ts';
import { browserStart } from './early.ts';
import type { HostDependencies, KioskHost } from './host.ts';
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
  const browser = browserStart({ settings, session });
  if (browser === undefined) {
    if (wanted === 'chromium')
      throw new Error('Chromium is not installed. On Debian: apt-get install chromium');
    log.warn('kiosk: Chromium is not installed, only the API runs');
    return new NoHost();
  }
  return new ChromiumHost({
    ...browser,
    log,
    early: dependencies.early,
    whyNoRoom: () => whyNoRoom(settings.dataDir),
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

/** `host=none`: only the API runs, no page is shown. */
class NoHost implements KioskHost {
  readonly kind = 'none';

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  async navigate(): Promise<void> {}

  async reload(): Promise<void> {
    throw noWindow();
  }

  async bringToFront(): Promise<void> {}
  async sleep(): Promise<void> {}
  async wake(): Promise<void> {}

  async openBuiltIn(): Promise<never> {
    throw noWindow();
  }

  async openLayer(): Promise<never> {
    throw noWindow();
  }

  async pressKey(): Promise<void> {}
  async makeRoom(): Promise<void> {}

  screenSize(): never {
    throw noWindow();
  }

  async zoom(): Promise<never> {
    throw noWindow();
  }

  async turn(): Promise<boolean> {
    return false;
  }

  async clearStorage(): Promise<void> {
    throw noWindow();
  }

  async screenshot(): Promise<Uint8Array> {
    throw noWindow();
  }

  watch(): never {
    throw noWindow();
  }

  async evaluate(): Promise<never> {
    throw noWindow();
  }

  async clearCaches(): Promise<void> {
    throw noWindow();
  }

  recoveries(): Readonly<Record<string, number>> {
    return {};
  }

  pageState(): never {
    throw noWindow();
  }

  pageConsole(): never {
    throw noWindow();
  }
}

function noWindow(): FaceplateError {
  return new FaceplateError('UNSUPPORTED_HARDWARE', 'There is no kiosk window: the service shows no page.');
}
