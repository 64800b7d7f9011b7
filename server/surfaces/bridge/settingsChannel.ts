import type { Dispatch } from '../../commands/dispatch.ts';
import { type CommandName, commands } from '../../contract/commands.ts';
import type { FaceplateError } from '../../contract/errors.ts';
import type { BridgeSink } from '../../kiosk/host.ts';

interface SettingsChannelOptions {
  readonly dispatch: Dispatch;
  /** Whether the PIN was entered. */
  readonly isUnlocked: () => boolean;
}

/** Calls of the settings page: `{"id":1,"command":"token.show","params":{}}`, answered with `result` or `error`. */
export function createSettingsChannel({ dispatch, isUnlocked }: SettingsChannelOptions): BridgeSink {
  let running = new AbortController();
  return {
    async onMessage(caller, json) {
      const request = read(json);
      if (request === undefined) return;
      const { id, command, params } = request;
      const { signal } = running;
      const answer = await dispatch(command, params, {
        surface: 'settings',
        origin: caller.origin,
        unlocked: isUnlocked(),
        signal,
      }).then(
        (result) => ({ id, result }),
        (error: FaceplateError) => ({ id, error: error.toAnswer() }),
      );
      if (!signal.aborted) caller.reply(JSON.stringify(answer));
    },
    onPageGone() {
      running.abort();
      running = new AbortController();
    },
  };
}

/** Our own page makes no mistakes: an unreadable message does not come from it. */
function read(json: string): { id: number; command: CommandName; params: unknown } | undefined {
  try {
    const { id, command, params } = JSON.parse(json) as { id: unknown; command: unknown; params: unknown };
    if (typeof id !== 'number' || typeof command !== 'string' || !Object.hasOwn(commands, command))
      return undefined;
    return { id, command: command as CommandName, params };
  } catch {
    return undefined;
  }
}
