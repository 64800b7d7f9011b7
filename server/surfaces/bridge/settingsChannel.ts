import type { Dispatch } from '../../commands/dispatch.ts';
import { PANEL } from '../../contract/access.ts';
import { type Dialogue, isDialogue, isFeed } from '../../contract/command.ts';
import { type CommandName, commands } from '../../contract/commands.ts';
import { type ErrorAnswer, FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { BridgeSink, PageCaller } from '../../kiosk/host.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { textOf } from './messages.ts';

interface SettingsChannelOptions {
  readonly dispatch: Dispatch;
  readonly bus: EventBus;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  /** Whether the PIN was entered. */
  readonly isUnlocked: () => boolean;
}

interface Call {
  readonly id: number;
  readonly command: CommandName;
  readonly params: unknown;
}

/** A message of the page: a call, or the wish for events, or the end of either. */
type Request =
  | Call
  | { readonly id: number; readonly events: true }
  | { readonly id: number; readonly end: true };

/**
 * Calls of our own app on the glass, `{"id":1,"command":"token.show","params":{}}`, answered with `result` or `error`.
 * A command with an endless answer sends `{"id","event","entry"}` until `{"id","end":true}`; `{"id","events":true}` asks
 * in the same way for what the panel announces.
 */
export function createSettingsChannel(options: SettingsChannelOptions): BridgeSink {
  let document = new Document(options);
  return {
    onMessage(caller, json) {
      const request = read(json);
      if (request !== undefined) void document.handle(caller, request);
    },
    onPageGone() {
      document.end();
      document = new Document(options);
    },
  };
}

/** One document of the app, with all that it follows. */
class Document {
  readonly #options: SettingsChannelOptions;
  readonly #running = new AbortController();
  readonly #followed = new Map<number, () => void>();

  constructor(options: SettingsChannelOptions) {
    this.#options = options;
  }

  async handle(caller: PageCaller, request: Request): Promise<void> {
    const { id } = request;
    if ('end' in request) this.#unfollow(id);
    else if ('events' in request) await this.#announce(caller, id);
    else await this.#call(caller, request);
  }

  end(): void {
    this.#running.abort();
    for (const id of [...this.#followed.keys()]) this.#unfollow(id);
  }

  async #call(caller: PageCaller, { id, command, params }: Call): Promise<void> {
    const { signal } = this.#running;
    const answer = await this.#options
      .dispatch(command, params, {
        surface: 'panel',
        identity: PANEL,
        origin: caller.origin,
        address: null,
        unlocked: this.#options.isUnlocked(),
        signal,
      })
      .then(
        (result) => (isDialogue(result) ? { id, error: refuse(result) } : { id, result: textOf(result) }),
        (error: FaceplateError) => ({ id, error: error.toAnswer() }),
      );
    if (signal.aborted) return;
    if (!('result' in answer) || !isFeed(answer.result)) {
      caller.reply(JSON.stringify(answer));
      return;
    }
    const { event } = answer.result;
    caller.reply(JSON.stringify({ id, result: null }));
    this.#followed.set(
      id,
      answer.result.open((entry) => caller.reply(JSON.stringify({ id, event, entry }))),
    );
  }

  /** Only behind the PIN, like everything that HTTP callers need a token for. */
  async #announce(caller: PageCaller, id: number): Promise<void> {
    const { bus, snapshot, isUnlocked } = this.#options;
    const send = (event: string, entry: unknown): void => {
      if (isUnlocked()) caller.reply(JSON.stringify({ id, event, entry }));
    };
    this.#followed.set(id, bus.onAny(send));
    const first = await snapshot();
    if (this.#followed.has(id)) send('snapshot', first);
  }

  #unfollow(id: number): void {
    this.#followed.get(id)?.();
    this.#followed.delete(id);
  }
}

/** The glass needs no picture of itself: the live screen is for viewers elsewhere. */
function refuse(dialogue: Dialogue): ErrorAnswer {
  dialogue.end();
  return new FaceplateError(
    'NOT_FOUND',
    'The live screen is a WebSocket; the panel itself has none.',
  ).toAnswer();
}

/** Our own page makes no mistakes: an unreadable message does not come from it. */
function read(json: string): Request | undefined {
  try {
    const { id, command, params, events, end } = JSON.parse(json) as Record<string, unknown>;
    if (typeof id !== 'number') return undefined;
    if (events === true) return { id, events };
    if (end === true) return { id, end };
    if (typeof command !== 'string' || !Object.hasOwn(commands, command)) return undefined;
    return { id, command: command as CommandName, params };
  } catch {
    return undefined;
  }
}
