import { join } from 'node:path';
import type { Settings } from './config/settings.ts';
import type { DesktopAppsOptions } from './drivers/apps/desktop/desktop.ts';
import { installedRecordSchema } from './drivers/apps/desktop/installedRecord.ts';
import { findChromium } from './host/chromium/findChromium.ts';
import { kioskUser } from './host/chromium/kioskUser.ts';
import { chooseProfileDir } from './host/chromium/profileDir.ts';
import type { Logger } from './observe/log.ts';
import { maySwitchUser } from './observe/privileges.ts';
import { StateFile } from './store/stateFile.ts';

/** Whose packages the driver `desktop` serves: those of the kiosk session. */
export async function desktopOptions(
  settings: Settings,
  log: Logger,
): Promise<Omit<DesktopAppsOptions, 'log'>> {
  const { dataDir } = settings;
  const kiosk = maySwitchUser() ? kioskUser(settings['kiosk.user']) : undefined;
  const user = kiosk && { ...kiosk, home: kiosk.home ?? (await chooseProfileDir(dataDir, kiosk)) };
  const browser = findChromium();
  return {
    installDir: settings['apps.installDir'] || join(dataDir, 'packages'),
    environment: process.env,
    ...(user && { user }),
    record: new StateFile({
      path: join(dataDir, 'installed-packages.json'),
      schema: installedRecordSchema,
      defaults: {},
      log,
    }),
    ...(browser && { ownPrograms: [browser] }),
  };
}
