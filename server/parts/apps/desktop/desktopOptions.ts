import { join } from 'node:path';
import { bootSlot } from '../../../platform/bootSlot.ts';
import type { Logger } from '../../../platform/log.ts';
import type { DesktopAppsOptions } from './desktop.ts';
import type { KioskUser } from './environment.ts';
import { packageRecord } from './installedRecord.ts';

/** What programs need to know of the kiosk session. */
interface Session {
  readonly user: (Omit<KioskUser, 'home'> & { readonly home: string | undefined }) | undefined;
  readonly starter: string | undefined;
  readonly browser: string | undefined;
  readonly profileDir: string;
}

/**
 * Whose packages the driver `desktop` serves: those of the kiosk session. A user without a home has the
 * browser's profile folder as its home.
 * @param installDir where package files may lie; empty for the data folder's own
 */
export function desktopOptions(
  { user, starter, browser, profileDir }: Session,
  { installDir, dataDir, log }: { installDir: string; dataDir: string; log: Logger },
): Omit<DesktopAppsOptions, 'log'> {
  return {
    installDir: installDir || join(dataDir, 'packages'),
    environment: process.env,
    ...(user && { user: { ...user, home: user.home ?? profileDir } }),
    ...(starter && { starter }),
    record: packageRecord(dataDir, log),
    ...(bootSlot() !== null && { isImage: true }),
    ...(browser && { ownPrograms: [browser] }),
  };
}
