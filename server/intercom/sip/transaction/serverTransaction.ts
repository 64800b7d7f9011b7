import type { Clock } from '../../../platform/clock.ts';
import { type ReceivedRequest, responseTo, type SipResponse, serialise } from '../message/message.ts';
import { replyHop, type Source } from '../transport/hop.ts';
import type { Transport } from '../transport/transport.ts';
import { GIVE_UP_MS, T1, T2, T4, TRYING_MS } from './timers.ts';

type State = 'trying' | 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated';

/**
 * A request of the remote party, until no more messages of it can arrive (RFC 3261 section 17.2, RFC 6026 section 7.1).
 */
export class ServerTransaction {
  readonly request: ReceivedRequest;
  readonly source: Source;
  /** The caller has sent a CANCEL; called once, only before a final response. */
  onCancel: (cancel: ReceivedRequest) => void = () => {};
  readonly #clock: Clock;
  readonly #transport: Pick<Transport, 'send'>;
  readonly #onEnd: () => void;
  #state: State;
  #last: Buffer | undefined;
  #interval = T1;
  #cancelTrying = (): void => {};
  #cancelResend = (): void => {};
  #cancelLimit = (): void => {};

  constructor(
    request: ReceivedRequest,
    source: Source,
    parts: { clock: Clock; transport: Pick<Transport, 'send'>; onEnd: () => void },
  ) {
    this.request = request;
    this.source = source;
    this.#clock = parts.clock;
    this.#transport = parts.transport;
    this.#onEnd = parts.onEnd;
    this.#state = this.#isInvite ? 'proceeding' : 'trying';
    if (this.#isInvite)
      this.#cancelTrying = this.#clock.after(TRYING_MS, () => this.respond(responseTo(request, 100)));
  }

  get state(): State {
    return this.#state;
  }

  get isAnswered(): boolean {
    return this.#state !== 'trying' && this.#state !== 'proceeding';
  }

  get #isInvite(): boolean {
    return this.request.method === 'INVITE';
  }

  get #isReliable(): boolean {
    return this.source.protocol !== 'udp';
  }

  /** Sends a response; after a final one only repetitions of a 2xx to an INVITE (RFC 6026). */
  respond(response: SipResponse): void {
    const isRepeated2xx = this.#state === 'accepted' && response.status >= 200 && response.status < 300;
    if (this.isAnswered && !isRepeated2xx) return;
    this.#cancelTrying();
    const data = serialise(response);
    if (response.status < 200) {
      this.#state = 'proceeding';
      this.#last = data;
    } else if (!isRepeated2xx) this.#answered(response.status, data);
    this.#send(data);
  }

  #answered(status: number, data: Buffer): void {
    if (this.#isInvite && status < 300) {
      // The TU repeats its 2xx until the ACK; the transaction only absorbs repetitions of the INVITE.
      this.#enter('accepted', GIVE_UP_MS);
      this.#last = undefined;
      return;
    }
    this.#last = data;
    if (this.#isInvite) {
      this.#enter('completed', GIVE_UP_MS);
      if (!this.#isReliable) this.#resendLater();
    } else this.#enter('completed', this.#isReliable ? 0 : GIVE_UP_MS);
  }

  /** The request again: send the last response again. */
  repeated(): void {
    if (this.#last !== undefined && this.#state !== 'confirmed') this.#send(this.#last);
  }

  /** @returns whether the ACK belonged to a refusal and is handled here. */
  acknowledged(): boolean {
    if (this.#state === 'accepted') return false;
    if (this.#state === 'completed') this.#enter('confirmed', this.#isReliable ? 0 : T4);
    return true;
  }

  end(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#cancelTrying();
    this.#cancelResend();
    this.#cancelLimit();
    this.#onEnd();
  }

  #enter(state: 'completed' | 'confirmed' | 'accepted', forMs: number): void {
    this.#state = state;
    this.#cancelResend();
    this.#cancelLimit();
    // Timers H, I, J and L.
    this.#cancelLimit = this.#clock.after(forMs, () => this.end());
  }

  /** Timer G. */
  #resendLater(): void {
    this.#cancelResend = this.#clock.after(this.#interval, () => {
      this.#interval = Math.min(this.#interval * 2, T2);
      if (this.#last !== undefined) this.#send(this.#last);
      this.#resendLater();
    });
  }

  #send(data: Buffer): void {
    // The timers make up for lost messages.
    this.#transport.send(data, replyHop(this.source, this.request.core.via)).catch(() => {});
  }
}

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
