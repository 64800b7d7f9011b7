import type { Clock } from '../../../platform/clock.ts';
import { formatVia } from '../message/fields.ts';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type ReceivedResponse, type SipRequest, serialise } from '../message/message.ts';
import type { Hop, Source } from '../transport/hop.ts';
import type { Transport } from '../transport/transport.ts';
import { GIVE_UP_MS, T1, T2, T4, TIMER_D_MS } from './timers.ts';

export interface ClientHandlers {
  /** Provisional responses, the final one, and for an INVITE every 2xx, including repetitions. */
  onResponse(response: ReceivedResponse, source: Source): void;
  /** No answer in time, or the request could not be sent. Called instead of a final response. */
  onFailure(cause: 'timeout' | 'transport', problem: string): void;
}

type State = 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated';

export type ClientTransport = Pick<Transport, 'via' | 'fitting' | 'noteWithoutTcp' | 'send'>;

/** How long a large request waits for any answer over TCP before it is sent over UDP, in milliseconds. */
const TCP_FIRST_MS = 2_000;

/** Our request until its final response (RFC 3261 section 17.1, RFC 6026 section 7.2). */
export class ClientTransaction {
  readonly branch: string;
  readonly method: string;
  readonly #clock: Clock;
  readonly #transport: ClientTransport;
  readonly #handlers: ClientHandlers;
  readonly #onEnd: () => void;
  #request: SipRequest;
  #hop: Hop;
  #state: State = 'calling';
  #data: Buffer | undefined;
  #interval = T1;
  #cancelResend = (): void => {};
  #cancelLimit = (): void => {};
  #cancelTcp = (): void => {};
  /** Where the request was meant to go, while TCP is tried because of its size. */
  #overUdp: Hop | undefined;

  constructor(
    request: SipRequest,
    hop: Hop,
    branch: string,
    parts: { clock: Clock; transport: ClientTransport; handlers: ClientHandlers; onEnd: () => void },
  ) {
    this.#request = request;
    this.#hop = hop;
    this.branch = branch;
    this.method = request.method;
    this.#clock = parts.clock;
    this.#transport = parts.transport;
    this.#handlers = parts.handlers;
    this.#onEnd = parts.onEnd;
  }

  get state(): State {
    return this.#state;
  }

  /** The request as it was sent, with its Via. */
  get request(): SipRequest {
    return this.#request;
  }

  /** Where it went; TCP if it was too large for UDP. */
  get hop(): Hop {
    return this.#hop;
  }

  /** Sends the request and starts timers A and B, or E and F. */
  async start(): Promise<void> {
    this.#cancelLimit = this.#clock.after(GIVE_UP_MS, () => this.#fail('timeout', 'no answer'));
    try {
      await this.#address(this.#hop);
      const fitting = await this.#transport.fitting(this.#hop, this.#data!.length);
      if (fitting.protocol !== this.#hop.protocol) {
        const overUdp = this.#hop;
        await this.#address(fitting);
        this.#overUdp = overUdp;
        this.#cancelTcp = this.#clock.after(TCP_FIRST_MS, () => void this.#goBackToUdp());
      }
      if (this.#state !== 'calling') return;
      this.#resendLater();
      await this.#transport.send(this.#data!, this.#hop);
    } catch (error) {
      if (this.#overUdp !== undefined) await this.#goBackToUdp();
      else if (this.#state === 'calling')
        this.#fail('transport', error instanceof Error ? error.message : 'it could not be sent');
    }
  }

  /** RFC 3261 section 18.1.1: a host that takes connections but no SIP on them gets the request over UDP. */
  async #goBackToUdp(): Promise<void> {
    const hop = this.#overUdp;
    this.#overUdp = undefined;
    this.#cancelTcp();
    if (hop === undefined || this.#state !== 'calling') return;
    this.#transport.noteWithoutTcp(hop);
    try {
      await this.#address(hop);
      if (this.#state !== 'calling') return;
      this.#resendLater();
      await this.#transport.send(this.#data!, hop);
    } catch (error) {
      if (this.#state === 'calling')
        this.#fail('transport', error instanceof Error ? error.message : 'it could not be sent');
    }
  }

  async #address(hop: Hop): Promise<void> {
    const via = formatVia(await this.#transport.via(hop, this.branch));
    const headers = this.#request.headers.copy();
    headers.delete('via');
    headers.addFirst('via', via);
    this.#request = { ...this.#request, headers };
    this.#hop = hop;
    this.#data = serialise(this.#request);
  }

  /** The caller has given up: no more retransmissions, but answers are still reported. */
  stopRepeating(): void {
    this.#cancelResend();
  }

  /** Its connection is gone: no answer can come. */
  connectionLost(): void {
    if (this.#state === 'calling' && this.#overUdp !== undefined) void this.#goBackToUdp();
    else if (this.#state === 'calling' || this.#state === 'proceeding')
      this.#fail('transport', 'the connection was lost');
  }

  end(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#cancelResend();
    this.#cancelLimit();
    this.#cancelTcp();
    this.#onEnd();
  }

  receive(response: ReceivedResponse, source: Source): void {
    if (this.#state === 'terminated') return;
    this.#cancelTcp();
    this.#overUdp = undefined;
    if (this.method === 'INVITE') this.#receiveOfInvite(response, source);
    else this.#receiveOfOther(response, source);
  }

  /** Figure 5 in section 17.1.1.2, with the accepted state of RFC 6026. */
  #receiveOfInvite(response: ReceivedResponse, source: Source): void {
    const { status } = response;
    if (status >= 300) {
      // Every repetition is acknowledged; only the first is reported.
      if (this.#state !== 'accepted') this.#acknowledge(response);
      if (this.#state !== 'calling' && this.#state !== 'proceeding') return;
      this.#enter('completed', this.#isReliable ? 0 : TIMER_D_MS);
    } else if (status >= 200) {
      if (this.#state === 'completed') return;
      if (this.#state !== 'accepted') this.#enter('accepted', GIVE_UP_MS);
    } else {
      if (this.#state !== 'calling' && this.#state !== 'proceeding') return;
      this.#state = 'proceeding';
      this.#cancelResend();
      // The caller decides how long it may ring.
      this.#cancelLimit();
    }
    this.#handlers.onResponse(response, source);
  }

  /** Figure 6 of section 17.1.2.2. */
  #receiveOfOther(response: ReceivedResponse, source: Source): void {
    if (this.#state === 'completed') return;
    if (response.status < 200) this.#state = 'proceeding';
    else this.#enter('completed', this.#isReliable ? 0 : T4);
    this.#handlers.onResponse(response, source);
  }

  get #isReliable(): boolean {
    return this.#hop.protocol !== 'udp';
  }

  #enter(state: 'completed' | 'accepted', forMs: number): void {
    this.#state = state;
    this.#cancelResend();
    this.#cancelLimit();
    this.#cancelLimit = this.#clock.after(forMs, () => this.end());
  }

  /** Timers A and E. A stops at a provisional response; E continues every T2. */
  #resendLater(): void {
    if (this.#isReliable) return;
    this.#cancelResend = this.#clock.after(this.#interval, () => {
      this.#transport.send(this.#data!, this.#hop).catch((error: Error) => {
        if (this.#state === 'calling') this.#fail('transport', error.message);
      });
      const longest = this.method === 'INVITE' ? Number.POSITIVE_INFINITY : T2;
      this.#interval = this.#state === 'proceeding' ? T2 : Math.min(this.#interval * 2, longest);
      this.#resendLater();
    });
  }

  #fail(cause: 'timeout' | 'transport', problem: string): void {
    if (this.#state === 'terminated') return;
    this.end();
    this.#handlers.onFailure(cause, problem);
  }

  /** The ACK of a refusal belongs to the transaction (section 17.1.1.3). */
  #acknowledge(response: ReceivedResponse): void {
    const ack = relatedRequest(this.#request, 'ACK');
    ack.headers.set('to', response.headers.get('to') ?? '');
    this.#transport.send(serialise(ack), this.#hop).catch(() => {});
  }
}

/**
 * The ACK of a refusal (section 17.1.1.3) or the CANCEL (section 9.1) of an INVITE, with the identifiers of the
 * INVITE's transaction.
 */
export function relatedRequest(invite: SipRequest, method: 'ACK' | 'CANCEL'): SipRequest {
  const headers = new Headers();
  headers.add('via', invite.headers.get('via') ?? '');
  for (const value of invite.headers.all('route')) headers.add('route', value);
  headers.add('max-forwards', '70');
  for (const name of ['from', 'to', 'call-id']) headers.add(name, invite.headers.get(name) ?? '');
  headers.add('cseq', `${Number.parseInt(invite.headers.get('cseq') ?? '', 10)} ${method}`);
  return { kind: 'request', method, uri: invite.uri, headers, body: NO_BODY };
}
