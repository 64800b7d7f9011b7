import { rm } from 'node:fs/promises';
import { doJob } from '../platform/kioskJobs.ts';
import type { Logger } from '../platform/log.ts';
import { afterReset, endReset } from '../platform/pendingChange.ts';
import type { KioskSession } from './session.ts';

/**
 * The last step of a reset: removes what pages kept in the browser, before the browser starts. What cannot be removed
 * now is removed at the next start.
 */
export async function forgetPages(
  dataDir: string,
  { starter, profileDir }: Pick<KioskSession, 'starter' | 'profileDir'>,
  log: Logger,
): Promise<void> {
  if ((await afterReset(dataDir)) === undefined) return;
  try {
    // The profile belongs to the kiosk's user, whose home is closed to the service.
    if (starter === undefined) await rm(profileDir, { recursive: true, force: true });
    else {
      const { error } = await doJob(starter, { job: 'forget' });
      if (error !== undefined) throw new Error(error);
    }
    await endReset(dataDir);
    log.info('the panel was reset');
  } catch (error) {
    log.error({ err: error }, 'the data of the browser could not be removed; the next start tries again');
  }
}
