import type { CallEnd, CallPeer } from '../../services/sip/driver.ts';
import type { DigestClient } from '../auth/digestClient.ts';
import type { Dialog } from '../dialog/dialog.ts';
import {
  type ReceivedRequest,
  type ReceivedResponse,
  responseTo,
  type SipRequest,
  type SipResponse,
} from '../message/message.ts';
import { clean } from '../message/syntax.ts';
import { userOf } from '../message/uri.ts';
import type { ClientTransaction } from '../transaction/clientTransaction.ts';
import { newTag } from '../transaction/layer.ts';
import type { ServerTransaction } from '../transaction/serverTransaction.ts';
import type { Hop, Source } from '../transport/hop.ts';
import type { StreamConnection } from '../transport/streamConnection.ts';
import { type CallCore, GOODBYE_MS } from './callCore.ts';

const NAME_CHARS = 100;

/** Outcome of a request within the dialog. */
type Answer = ReceivedResponse | 'failed';

/** One side of a dialog: who the far end is, and how requests get there. */
export abstract class DialogUser {
  readonly localTag = newTag();
  readonly callId: string;
  viaRegistrar: boolean;
  /** Addresses that messages of this call may come from. */
  readonly addresses = new Set<string>();
  protected readonly core: CallCore;
  protected dialog: Dialog | undefined;
  /** The connection that the far end's messages came by. Kept while the call lasts: we may not open another. */
  #flow: StreamConnection | undefined;
  #letGo = (): void => {};
  protected isOver = false;
  protected peerTakesUpdate = false;
  #peer: CallPeer = { host: '', port: 0, user: '', displayName: '', isFaceplate: false, secure: false };

  constructor(core: CallCore, callId: string, viaRegistrar: boolean) {
    this.core = core;
    this.callId = callId;
    this.viaRegistrar = viaRegistrar;
  }

  get id(): string {
    return this.callId;
  }

  get peer(): CallPeer {
    return this.#peer;
  }

  /** The call is over for a reason that is not ours: told once. */
  protected abstract finish(end: CallEnd): void;

  /** Whether a request with these tags is of this call. */
  matches(localTag: string, remoteTag: string): boolean {
    return this.localTag === localTag && (this.dialog === undefined || this.dialog.remoteTag === remoteTag);
  }

  /** Takes over who the far end is; the first and the final message may tell different things. */
  protected meet(message: ReceivedRequest | ReceivedResponse, source: Source): void {
    const party = message.kind === 'request' ? message.core.from : message.core.to;
    const agent = message.headers.get('user-agent') ?? message.headers.get('server');
    this.addresses.add(source.host);
    if (source.connection !== undefined && source.connection !== this.#flow) {
      this.#letGo();
      this.#flow = source.connection;
      if (!this.isOver) this.#letGo = this.#flow.hold();
    }
    this.#peer = {
      host: source.host,
      port: source.port,
      user: userOf(party.uri).slice(0, NAME_CHARS),
      displayName: clean(party.displayName || this.#peer.displayName).slice(0, NAME_CHARS),
      isFaceplate: agent === undefined ? this.#peer.isFaceplate : /^Faceplate\b/i.test(agent),
      secure: source.protocol === 'tls',
    };
    const allow = message.headers.tokens('allow');
    if (allow.length > 0) this.peerTakesUpdate = allow.includes('update');
    for (const host of this.dialog?.hosts ?? []) this.addresses.add(host);
  }

  /** Sends a request within the dialog; resolves with the final answer. */
  protected async send(request: SipRequest): Promise<Answer> {
    let digest: DigestClient | undefined;
    for (let current = request; ; current = this.#again(current)) {
      const hop = await this.nextHop();
      // Descriptions hold keys and INFO the digits of a door: within a call over TLS they never go in clear.
      const isRevealing = this.#peer.secure && hop?.protocol !== 'tls' && current.body.length > 0;
      if (hop === undefined || isRevealing) return 'failed';
      if (this.core.digestFor(hop) !== undefined) digest?.sign(current);
      const { answer, transaction } = await this.#once(current, hop);
      if (answer === 'failed') return answer;
      const isChallenge = answer.status === 401 || answer.status === 407;
      // Credentials go where the request really went, and only if that is the configured registrar.
      if (isChallenge && digest === undefined && this.viaRegistrar) {
        digest = this.core.digestFor(transaction.hop);
        if (digest?.take(answer) === true) continue;
      }
      if (answer.status === 408 || answer.status === 481) this.finish({ cause: 'timeout' });
      return answer;
    }
  }

  #once(request: SipRequest, hop: Hop): Promise<{ answer: Answer; transaction: ClientTransaction }> {
    return new Promise((resolve) => {
      const transaction = this.core.layer.request(request, hop, {
        onResponse: (response) => {
          if (response.status >= 200) resolve({ answer: response, transaction });
        },
        onFailure: () => resolve({ answer: 'failed', transaction }),
      });
    });
  }

  /** The same request with the next number. */
  #again(request: SipRequest): SipRequest {
    const again = this.dialog!.request(request.method);
    const headers = request.headers.copy();
    headers.set('cseq', again.headers.get('cseq')!);
    return { ...request, headers };
  }

  /** Where requests of the dialog go. Undefined where it is not to be found. */
  protected async nextHop(): Promise<Hop | undefined> {
    const uri = this.dialog?.nextHop;
    if (uri === undefined) return undefined;
    try {
      const hop = (await this.core.hopsTo(uri))[0]!;
      this.addresses.add(hop.host);
      const flow = this.#flow;
      const fits = flow?.isOpen === true && flow.host === hop.host;
      const wants = this.#peer.secure
        ? 'tls'
        : (uri.params.get('transport')?.toLowerCase() ?? flow?.protocol);
      return fits && flow.protocol === wants ? { ...hop, protocol: flow.protocol, flow } : hop;
    } catch {
      return undefined;
    }
  }

  /** The call is over: its connection is kept no longer than others. */
  protected letGoOfFlow(): void {
    this.#letGo();
  }

  /** BYE, waiting for its answer no longer than is polite. */
  protected async sayBye(): Promise<void> {
    if (this.dialog === undefined) return;
    await this.patience(this.send(this.dialog.request('BYE')));
  }

  protected async patience(done: Promise<unknown>): Promise<void> {
    let cancel = (): void => {};
    const limit = new Promise<void>((resolve) => {
      cancel = this.core.clock.after(GOODBYE_MS, resolve);
    });
    await Promise.race([done, limit]);
    cancel();
  }

  /** Adds what every response within a dialog carries. */
  protected async complete(response: SipResponse, transaction: ServerTransaction): Promise<SipResponse> {
    this.core.describe(response.headers, 'response');
    const { protocol, host, port, connection } = transaction.source;
    response.headers.add('contact', await this.core.contact({ protocol, host, port, flow: connection }));
    return response;
  }

  protected respond(
    transaction: ServerTransaction,
    status: number,
    extra: readonly (readonly [string, string])[] = [],
  ): void {
    const response = responseTo(transaction.request, status, this.localTag);
    this.core.describe(response.headers, 'response');
    for (const [name, value] of extra) response.headers.add(name, value);
    transaction.respond(response);
  }

  /** The ACK of a 2xx (section 13.2.2.4). */
  protected async acknowledge(answer: ReceivedResponse): Promise<void> {
    const hop = await this.nextHop();
    if (hop === undefined || this.dialog === undefined) return;
    const ack = this.dialog.request('ACK', answer.core.cseq.number);
    await this.core.layer.acknowledge(ack, hop).catch(() => {});
  }
}
