import type { ErrorAnswer } from '../../../contract/errors.ts';
import type { BuiltInPageChannel } from '../../../kiosk/builtInPageContract.ts';
import { CallError, type EventListener, type Follower, type Panel, type Params } from './panel.ts';
import { rowOf } from './requests.ts';

/** What comes back for a message, by its id. */
interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: ErrorAnswer;
  readonly event?: string;
  readonly entry?: unknown;
}

/** Commands that only the glass has: no HTTP caller finds them in the table. */
const GLASS_ONLY = /^(?:settingsPage\.|token\.(?:show|rotate)$|panel\.(?:facts|pairing)$)/;

/** The door of the glass: messages to the service, which knows whether the PIN was entered. */
export class GlassPanel implements Panel {
  readonly door = 'glass';
  readonly #channel: BuiltInPageChannel;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor(channel: BuiltInPageChannel) {
    this.#channel = channel;
    channel.listen((json) => {
      const answer = JSON.parse(json) as Answer;
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  call(command: string, params: Params): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (rowOf(command) === undefined && !GLASS_ONLY.test(command)) {
        reject(new CallError(`This version of the panel has no ${command}.`, 'NOT_FOUND'));
        return;
      }
      const id = this.#send({ command, params }, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(result);
        else reject(new CallError(error.error, error.code, error.field));
      });
    });
  }

  async media(command: string, params: Params): Promise<Blob> {
    if (command !== 'stream.snapshot')
      throw new CallError('Files come only to a browser.', 'UNSUPPORTED_HARDWARE');
    const { type, base64 } = (await this.call(command, params)) as { type: string; base64: string };
    return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type });
  }

  upload(): Promise<unknown> {
    return Promise.reject(new CallError('Files come only from a browser.', 'UNSUPPORTED_HARDWARE'));
  }

  follow(command: string, params: Params, follower: Follower): () => void {
    if (rowOf(command) === undefined) {
      follower.ended(new CallError(`This version of the panel has no ${command}.`, 'NOT_FOUND'));
      return () => {};
    }
    const id = this.#send({ command, params }, ({ error, event, entry }) => {
      if (error !== undefined) follower.ended(new CallError(error.error, error.code));
      else if (event === undefined) follower.open();
      else follower.entry(entry);
    });
    return () => this.#end(id);
  }

  events(listener: EventListener): () => void {
    const id = this.#send({ events: true }, ({ event, entry }) => {
      if (event !== undefined) listener(event, entry);
    });
    return () => this.#end(id);
  }

  socket(): undefined {
    return undefined;
  }

  #send(message: object, onAnswer: (answer: Answer) => void): number {
    const id = ++this.#lastId;
    this.#waiting.set(id, onAnswer);
    this.#channel.post(JSON.stringify({ id, ...message }));
    return id;
  }

  #end(id: number): void {
    this.#waiting.delete(id);
    this.#channel.post(JSON.stringify({ id, end: true }));
  }
}
