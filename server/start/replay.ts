import type { Dispatch } from '../commands/dispatch.ts';
import { REPLAY } from '../contract/access.ts';
import { type CommandName, commands } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import { type BoardProfile, realParts } from '../parts/boards/board.ts';
import { RecordedJournal, ReplayError } from '../parts/replay/recordedJournal.ts';
import { type ReplayedCalls, ReplayService } from '../parts/replay/service.ts';
import { systemClock } from '../platform/clock.ts';
import type { Lifecycle, StartOptions } from './lifecycle.ts';

/**
 * Opens the journal to replay, before anything else starts.
 * @throws ReplayError when it cannot be read
 */
export async function openReplay(lifecycle: Lifecycle, path: string): Promise<RecordedJournal> {
  const journal = await RecordedJournal.open(path);
  lifecycle.own({ stop: () => journal.close() });
  return journal;
}

/** Refuses real parts: a replay would switch what is wired to them. @throws ReplayError */
export function assertDesk(board: BoardProfile): void {
  const real = realParts(board);
  if (real.length === 0) return;
  throw new ReplayError(
    `A journal is replayed on a simulated board only. Of the board ${board.name} these parts are real: ${real.join(', ')}. Start with --board simulated.`,
  );
}

/** Creates what replays the journal, once the panel has started. */
export function createReplay(
  journal: RecordedJournal,
  { replay, print, log }: StartOptions,
  dispatch: Dispatch,
): ReplayService {
  return new ReplayService({
    journal,
    speed: replay?.speed ?? 1,
    calls: replayedCalls(dispatch),
    clock: systemClock,
    say: print,
    log,
  });
}

/** The commands as the replay of a journal calls them; the contract says which it may. */
export function replayedCalls(dispatch: Dispatch): ReplayedCalls {
  return {
    mayRun: (command) =>
      Object.hasOwn(commands, command) && commands[command as CommandName].access.replay === 'allowed',
    run: async (command, params, signal) => {
      const caller = {
        surface: 'replay',
        identity: REPLAY,
        origin: 'replay',
        address: null,
        signal,
      } as const;
      try {
        await dispatch(command as CommandName, params, caller);
        return 'OK';
      } catch (error) {
        if (!(error instanceof FaceplateError)) throw error;
        return error.code;
      }
    },
  };
}
