import type { BridgeSink, PageCaller } from '../kiosk/host.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { IntercomOffer, IntercomReply, IntercomRequest, IntercomTone } from './pageContract.ts';
import type { IntercomPage } from './ports.ts';

/** Time limit of the intercom page's answer, in milliseconds: a tone has to finish. */
const ANSWER_MS = 10_000;

/** A request before it gets its number. */
type Wish = IntercomRequest extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never;

interface Waiting {
  resolve(result: string | null): void;
  reject(error: Error): void;
  cancelLimit(): void;
}

/** The intercom page as the service sees it, over a channel that the host gives only to that page's window. */
export class IntercomChannel implements IntercomPage {
  onReset: () => void = () => {};
  readonly sink: BridgeSink;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #waiting = new Map<number, Waiting>();
  #page: PageCaller | undefined;
  #lastId = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.sink = {
      onMessage: (caller, json) => this.#hear(caller, JSON.parse(json) as IntercomReply),
      onPageGone: () => this.#lose(),
    };
  }

  /** @throws Error if there is no intercom page now, or it does not answer. */
  async connect(offer: IntercomOffer): Promise<string> {
    return (await this.#ask({ do: 'connect', ...offer })) ?? '';
  }

  async close(connection: string): Promise<void> {
    if (this.#page !== undefined) await this.#ask({ do: 'close', connection });
  }

  async play(tone: IntercomTone): Promise<void> {
    if (tone !== 'none' || this.#page !== undefined) await this.#ask({ do: 'play', tone });
  }

  async setVolume(volume: number): Promise<void> {
    // If the intercom page is not connected yet, it gets this when it connects.
    if (this.#page !== undefined) await this.#ask({ do: 'volume', volume });
  }

  #ask(wish: Wish): Promise<string | null> {
    const page = this.#page;
    if (page === undefined) return Promise.reject(new Error('The intercom page is not there.'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const cancelLimit = this.#clock.after(ANSWER_MS, () => {
        this.#waiting.delete(id);
        reject(new Error('The intercom page does not answer.'));
      });
      this.#waiting.set(id, { resolve, reject, cancelLimit });
      page.reply(JSON.stringify({ id, ...wish }));
    });
  }

  #hear(caller: PageCaller, reply: IntercomReply): void {
    if ('ready' in reply) {
      this.#lose();
      this.#page = caller;
      this.onReset();
      return;
    }
    if ('problem' in reply) {
      this.#log.warn({ problem: reply.problem }, 'intercom: the page reports a problem');
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined || caller !== this.#page) return;
    this.#waiting.delete(reply.id);
    waiting.cancelLimit();
    if ('error' in reply) waiting.reject(new Error(reply.error));
    else waiting.resolve(reply.result);
  }

  #lose(): void {
    this.#page = undefined;
    for (const { reject, cancelLimit } of this.#waiting.values()) {
      cancelLimit();
      reject(new Error('The intercom page is gone.'));
    }
    this.#waiting.clear();
  }
}
