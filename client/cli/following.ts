import { setTimeout as sleep } from 'node:timers/promises';
import { type Feeds, PanelError, PanelUnreachable } from '../index.ts';
import type { Target } from './targets.ts';

/** Pause before a panel that went away is asked again, in milliseconds. */
const AGAIN_MS = 1_000;

/** Stored entries come within this time after the connection, in milliseconds. */
const KEPT_MS = 1_000;

/** Whether an error is that of a panel that restarts. */
function isPassing(error: unknown): boolean {
  if (error instanceof PanelError) return ['STARTING', 'SHUTTING_DOWN'].includes(error.code);
  return error instanceof PanelUnreachable;
}

/**
 * Follows a feed of one panel, also over its restarts: what came already does not come again.
 * @param give gets each entry; ends with the signal
 * @throws as Panel.follow, if the panel was never reached
 */
export async function followAlways<N extends keyof Feeds>(
  { panel, voice }: Target,
  feed: N,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  give: (entry: Feeds[N]['entry']) => void,
): Promise<void> {
  let last = '';
  let wasThere = false;
  let isAway = false;
  for (;;) {
    try {
      const entries = panel.follow(feed, params as never, { signal });
      const kept = last;
      const startedAt = performance.now();
      let isNew = false;
      for await (const entry of entries) {
        if (isAway) voice.note('the panel is back');
        [wasThere, isAway] = [true, false];
        // Only what is sent at once was stored; the clock of a panel may also go back.
        isNew ||= entry.time > kept || performance.now() - startedAt > KEPT_MS;
        if (!isNew) continue;
        last = entry.time;
        give(entry);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!wasThere || !isPassing(error)) throw error;
      if (!isAway) voice.note('the panel is away; trying again');
      isAway = true;
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}
