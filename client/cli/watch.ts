import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time without a further change after which a save counts as complete, in milliseconds. */
const QUIET_MS = 40;
/** A tool that writes all the time is not waited for longer, in milliseconds. */
const LONGEST_MS = 1_000;
/** How often the folder is looked at where nothing tells of changes, in milliseconds: network drives, for one. */
const LOOK_EVERY_MS = 5_000;

/** Runs `changed` after each save below a folder, one at a time, until the signal. */
export async function watchFolder(
  folder: string,
  signal: AbortSignal,
  changed: () => Promise<void>,
): Promise<void> {
  let wake = () => {};
  let isDirty = false;
  const dirty = () => {
    isDirty = true;
    wake();
  };
  const watcher = watch(folder, { recursive: true, signal }, dirty);
  // Without it, a folder that is removed or a full table of watches would end the program.
  watcher.on('error', () => {});
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted) {
    if (!isDirty) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const since = performance.now();
    while (isDirty && !signal.aborted && performance.now() - since < LONGEST_MS) {
      isDirty = false;
      await sleep(QUIET_MS, undefined, { signal }).catch(() => {});
    }
    if (!signal.aborted) await changed();
  }
}
