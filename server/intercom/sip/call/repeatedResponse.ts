import type { Clock } from '../../../platform/clock.ts';
import type { SipResponse } from '../message/message.ts';
import type { ServerTransaction } from '../transaction/serverTransaction.ts';
import { GIVE_UP_MS, T1, T2 } from '../transaction/timers.ts';

/** Repeats a response until something proves that it was received. */
export class RepeatedResponse {
  readonly #cancelLimit: () => void;
  #cancelRepeat = (): void => {};
  #isDone = false;

  /**
   * A 2xx to INVITE until its ACK (RFC 3261 section 13.3.1.4), up to every T2; a reliable provisional response until
   * its PRACK (RFC 3262 section 3), without that bound. Also over TCP, where a proxy may lose it.
   */
  constructor(clock: Clock, transaction: ServerTransaction, response: SipResponse, onGivenUp: () => void) {
    const repeat = (interval: number): void => {
      this.#cancelRepeat = clock.after(interval, () => {
        transaction.respond(response);
        repeat(response.status < 200 ? interval * 2 : Math.min(interval * 2, T2));
      });
    };
    transaction.respond(response);
    repeat(T1);
    this.#cancelLimit = clock.after(GIVE_UP_MS, () => {
      this.stop();
      onGivenUp();
    });
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  stop(): void {
    this.#isDone = true;
    this.#cancelRepeat();
    this.#cancelLimit();
  }
}
