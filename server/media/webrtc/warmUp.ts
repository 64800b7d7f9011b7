import { setTimeout as sleep } from 'node:timers/promises';
import { type DtlsCertificate, shakeHandsWithOurselves } from './dtls.ts';

/** After so many handshakes the code is compiled: they took 27, 8, 5, 4 and 3 ms of the service where they were measured. */
const HANDSHAKES = 5;
/** Between two of them, in milliseconds: others start at the same time. */
const PAUSE_MS = 1_000;

/**
 * Runs handshakes with ourselves, so that the first viewers do not wait for cold code. It cannot fail for a caller, at
 * worst they wait that bit longer.
 * @param signal ends it.
 * @returns how many handshakes came to their end.
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
