import assert from 'node:assert/strict';
import type { RecoveryCause } from '../../host.ts';
import type { TestKiosk } from '../testKiosk.ts';

const BACK_MS = 60_000;
const HOME = `location.pathname === '/' && document.readyState === 'complete'`;

/** True in a page whose bridge works. */
export const BRIDGE_WORKS = `container.sendUdp('127.0.0.1', 9, '00').then((answer) => answer.status === 'ok')`;

/**
 * Goes to the home page and marks its document.
 * @returns waits for a new document at home whose bridge works, and asserts that `cause` was counted once and nothing
 * else was
 */
export async function markPage(kiosk: TestKiosk): Promise<(cause: RecoveryCause) => Promise<void>> {
  await kiosk.show('/');
  await kiosk.evaluate('window.before = true');
  const counts = { ...kiosk.host.recoveries() };
  return async (cause) => {
    // A page that hangs is ended by the CPU that it takes, which a busy machine gives it later.
    await kiosk.untilTrue(`window.before === undefined && ${HOME}`, BACK_MS);
    await kiosk.untilTrue(BRIDGE_WORKS);
    assert.deepEqual(kiosk.host.recoveries(), { ...counts, [cause]: (counts[cause] ?? 0) + 1 });
  };
}
