import type { Logger } from '../../../platform/log.ts';
import { granted } from '../../permissions.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';

/** What an unknown version of Chromium answers to a name that it does not have. */
const UNKNOWN = /Unknown permission type: (\w+)/;

/** Lets the pages of an origin use what the table grants. Chromium then denies that origin everything not named. */
export async function grantPermissions(send: CdpSend, origin: string, log: Logger): Promise<void> {
  await grant(send, origin, granted('chromium')).catch((error: Error) =>
    log.warn({ err: error, origin }, 'kiosk: could not grant the permissions of the page'),
  );
}

async function grant(send: CdpSend, origin: string, permissions: readonly string[]): Promise<void> {
  try {
    await send('Browser.grantPermissions', { origin, permissions });
  } catch (error) {
    const unknown = UNKNOWN.exec((error as Error).message)?.[1];
    if (unknown === undefined || !permissions.includes(unknown)) throw error;
    await grant(
      send,
      origin,
      permissions.filter((name) => name !== unknown),
    );
  }
}
