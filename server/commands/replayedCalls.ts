import { REPLAY } from '../contract/access.ts';
import { type CommandName, commands } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import type { ReplayedCalls } from '../parts/replay/service.ts';
import type { Dispatch } from './dispatch.ts';

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
