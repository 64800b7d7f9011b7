import { BaseWindow } from 'electron';
import type { ChromiumHostOptions } from '../../server/kiosk/chromium/chromiumHostOptions.ts';
import type { KioskHost } from '../../server/kiosk/host.ts';
import type { OpenKiosk } from '../../server/kiosk/testing/suite/openKiosk.ts';
import { TestKiosk } from '../../server/kiosk/testing/testKiosk.ts';
import type { ElectronApi } from '../electronApi.ts';
import { ElectronHost } from '../electronHost.ts';

interface Binary {
  readonly electron: ElectronApi;
  readonly preload: string;
  readonly builtInPreload: string;
  /** The DevTools port that Electron was started with. */
  readonly debugPort: number;
}

/** The kiosk of the host suite in Electron itself. */
class ElectronTestKiosk extends TestKiosk {
  readonly #binary: Binary;

  constructor(binary: Binary) {
    super();
    this.#binary = binary;
    this.debugPort = binary.debugPort;
  }

  protected override createHost(options: ChromiumHostOptions): KioskHost {
    const { recoverySettings, policy, certificates, spec, log } = options;
    const { clock, limits, pageExtras, onDialog, onField, onSettingsCall } = options;
    return new ElectronHost({
      ...this.#binary,
      ...{ recoverySettings, policy, certificates, spec, log },
      ...(clock && { clock }),
      ...(limits && { limits }),
      ...(pageExtras && { pageExtras }),
      ...(onDialog && { onDialog }),
      ...(onField && { onField }),
      ...(onSettingsCall && { onSettingsCall }),
    });
  }

  /** Electron's browser is the service: the window is all that can end. */
  override endBrowser(): Promise<void> {
    return this.closeWindow();
  }

  /** Its port is that of the service. */
  override browserMayChange(): void {}

  override async closeWindow(): Promise<void> {
    for (const window of BaseWindow.getAllWindows()) window.destroy();
  }
}

/** Opens kiosks in Electron, for the host suite. */
export function openInElectron(binary: Binary): OpenKiosk {
  return async (path, pages, options) => {
    const kiosk = new ElectronTestKiosk(binary);
    for (const [page, html] of Object.entries(pages)) kiosk.pages.set(page, html);
    await kiosk.serve();
    await kiosk.makeHost(options);
    await kiosk.start(path);
    return kiosk;
  };
}
