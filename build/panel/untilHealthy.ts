import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 1000;
const ANSWER_MS = 5000;
/** How often a start without a terminal prints its progress, in seconds. */
const SAY_EVERY_S = 30;

/**
 * Waits until the panel's service is healthy, and shows the seconds meanwhile, to standard error.
 * @returns whether it is; false when the panel was switched off before
 */
export async function untilHealthy(address: string, off: AbortSignal): Promise<boolean> {
  const began = performance.now();
  const terminal = process.stderr.isTTY;
  let said = 0;
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    if (terminal) process.stderr.write(`\rThe panel starts ... ${seconds} s`);
    else if (seconds >= said + SAY_EVERY_S) {
      said = seconds;
      process.stderr.write(`The panel starts ... ${seconds} s\n`);
    }
  };
  try {
    while (!off.aborted) {
      show();
      if (await isHealthy(address, off)) return true;
      await sleep(ASK_EVERY_MS, undefined, { signal: off }).catch(() => {});
    }
    return false;
  } finally {
    if (terminal) process.stderr.write('\n');
  }
}

async function isHealthy(address: string, off: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([off, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(`${address}/healthz`, { signal });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
