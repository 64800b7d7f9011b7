import type { Dispatch } from '../commands/dispatch.ts';
import { replayedCalls } from '../commands/replayedCalls.ts';
import { realParts } from '../parts/boards/board.ts';
import { RecordedJournal, ReplayError } from '../parts/replay/recordedJournal.ts';
import { ReplayService } from '../parts/replay/service.ts';
import { systemClock } from '../platform/clock.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

/**
 * Opens the journal that is to be replayed, before anything else is started.
 * @throws ReplayError when it cannot be
 */
export async function openReplay({ options, started }: Launch): Promise<RecordedJournal | undefined> {
  if (options.replay === undefined) return undefined;
  const journal = await RecordedJournal.open(options.replay.path);
  started.push({ stop: () => journal.close() });
  return journal;
}

/** A replay that met real parts would switch what is wired to them. @throws ReplayError */
export function mustBeDesk({ board }: Platform): void {
  const real = realParts(board);
  if (real.length === 0) return;
  throw new ReplayError(
    `A journal is replayed on a simulated board only. Of the board ${board.name} these parts are real: ${real.join(', ')}. Start with --board simulated.`,
  );
}

/** Begins to play, once the panel is as it will be. */
export async function startReplay(
  launch: Launch,
  journal: RecordedJournal,
  dispatch: Dispatch,
): Promise<void> {
  const { replay, print, log } = launch.options;
  const service = new ReplayService({
    journal,
    speed: replay?.speed ?? 1,
    calls: replayedCalls(dispatch),
    clock: systemClock,
    say: print,
    log,
  });
  launch.replay = service;
  await launch.up(service);
}
