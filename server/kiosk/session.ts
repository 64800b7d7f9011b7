import { rm } from 'node:fs/promises';
import type { Settings } from '../config/settings.ts';
import { afterReset, endReset } from '../platform/files/dataFolder.ts';
import { doJob, kioskStarter } from '../platform/kioskJobs.ts';
import type { Logger } from '../platform/log.ts';
import { type KioskUser, kioskUser, maySwitchUser } from '../platform/privileges.ts';
import type { SwayIpc } from '../platform/sway/swayIpc.ts';
import { findChromium } from './chromium/process/commandLine.ts';
import { chooseProfileDir, memoryProfile } from './chromium/process/profile.ts';

/** Whose screen it is, and with what it is filled: the same for the browser and for the programs of the desktop. */
export interface KioskSession {
  /** Whom the browser and programs run as; undefined where the service has no other user than its own. */
  readonly user: KioskUser | undefined;
  /** The socket of the starter that acts as this user where the service may not become it. */
  readonly starter: string | undefined;
  /** The system's Chromium, where there is one. */
  readonly browser: string | undefined;
  /** The browser's profile folder; nothing is made yet. */
  readonly profileDir: string;
  /** The connection to the compositor, where the screen is that of the Debian package. */
  readonly sway?: SwayIpc | undefined;
}

/**
 * Finds the session of the kiosk, once for the whole service.
 * @throws Error when the user of `kiosk.user` cannot run a browser
 */
export async function findKioskSession(
  settings: Pick<Settings, 'dataDir' | 'kiosk.user'>,
): Promise<KioskSession> {
  const starter = kioskStarter();
  const user = maySwitchUser() || starter ? kioskUser(settings['kiosk.user']) : undefined;
  const profileDir = await chooseProfileDir(settings.dataDir, user);
  return { user, starter, browser: findChromium(), profileDir };
}

/**
 * The last step of a reset: removes what pages stored in the browser, before the browser starts. What cannot be removed
 * now is removed at the next start.
 */
export async function forgetPages(
  dataDir: string,
  { starter, user, profileDir }: Pick<KioskSession, 'starter' | 'user' | 'profileDir'>,
  log: Logger,
): Promise<void> {
  if ((await afterReset(dataDir)) === undefined) return;
  try {
    // The profile belongs to the kiosk's user, whose home is closed to the service.
    if (starter === undefined)
      for (const folder of [profileDir, memoryProfile(profileDir, user, process.env)])
        await rm(folder, { recursive: true, force: true });
    else {
      const { error } = await doJob(starter, { job: 'forget' });
      if (error !== undefined) throw new Error(error);
    }
    await endReset(dataDir);
    log.info('kiosk: data of the browser removed by the reset');
  } catch (error) {
    log.error({ err: error }, 'kiosk: could not remove the data of the browser, the next start tries again');
  }
}
