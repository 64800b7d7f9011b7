import { setTimeout as sleep } from 'node:timers/promises';
import { type DtlsCertificate, shakeHandsWithOurselves } from './dtls.ts';

/** After this many handshakes the code is compiled: in a measurement they took 27, 8, 5, 4 and 3 ms of the service. */
const HANDSHAKES = 5;
/** Pause between two handshakes, in milliseconds: other parts start at the same time. */
const PAUSE_MS = 1_000;

/**
 * Runs handshakes with ourselves, so that the first viewers do not wait for cold code. It never fails for a caller; at
 * worst the first viewers wait a little longer.
 * @param signal ends it.
 * @returns how many handshakes completed.
 */
export async function warmUp(certificate: DtlsCertificate, signal: AbortSignal): Promise<number> {
  let done = 0;
  for (let turn = 0; turn < HANDSHAKES && !signal.aborted; turn++) {
    if (await shakeHandsWithOurselves(certificate)) done++;
    // Rejects when it is aborted.
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
  }
  return done;
}
