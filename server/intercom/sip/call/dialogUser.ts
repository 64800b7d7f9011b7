import type { CallEnd, CallPeer } from '../../ports.ts';
import type { DigestClient } from '../auth/digest.ts';
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
import type { ClientHandlers, ClientTransaction } from '../transaction/clientTransaction.ts';
import { newTag, type RequestUse } from '../transaction/layer.ts';
import type { ServerTransaction } from '../transaction/serverTransaction.ts';
import type { Hop, Source } from '../transport/hop.ts';
import type { StreamConnection } from '../transport/streamConnection.ts';
import { type CallCore, GOODBYE_MS } from './callCore.ts';

const NAME_CHARS = 100;

/** Outcome of a request within the dialog. */
type Answer = ReceivedResponse | 'failed';

/** Our side of a dialog: who the remote party is, and how requests reach it. */
export abstract class DialogUser {
  onLife: () => void = () => {};
  readonly localTag = newTag();
  readonly callId: string;
  viaRegistrar: boolean;
  /** The remote party has proved that it is a panel of this house. */
  isProven = false;
  /** Addresses that messages of this call may come from. */
  readonly addresses = new Set<string>();
  protected readonly core: CallCore;
  protected dialog: Dialog | undefined;
  /** The connection of the remote party's messages. Kept while the call lasts: we may not open another. */
  #flow: StreamConnection | undefined;
  #letGo = (): void => {};
  protected isOver = false;
  /** The dialog has SIPS addresses (RFC 3261 section 12.1.1). */
  protected isSips = false;
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

  /** The call is over for a reason that is not ours: reported once. */
  protected abstract finish(end: CallEnd): void;

  /** Whether a request with these tags belongs to this call. */
  matches(localTag: string, remoteTag: string): boolean {
    return this.localTag === localTag && (this.dialog === undefined || this.dialog.remoteTag === remoteTag);
  }

  /** Updates who the remote party is; the first and the final message may differ. */
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
  protected async send(request: SipRequest, use: RequestUse = 'call'): Promise<Answer> {
    let digest: DigestClient | undefined;
    for (let current = request; ; current = this.#again(current)) {
      const hop = await this.nextHop();
      // Descriptions contain keys and INFO the digits of a door: within a call over TLS they are never sent
      // unencrypted.
      const isRevealing = this.#peer.secure && hop?.protocol !== 'tls' && current.body.length > 0;
      if (hop === undefined || isRevealing) return 'failed';
      if (this.core.digestFor(hop) !== undefined) digest?.sign(current);
      const { answer, transaction } = await this.#once(current, hop, use);
      if (answer === 'failed') return answer;
      this.onLife();
      const isChallenge = answer.status === 401 || answer.status === 407;
      // Credentials go only to the hop that the request really went to, and only if it is the configured registrar.
      if (isChallenge && digest === undefined && this.viaRegistrar) {
        digest = this.core.digestFor(transaction.hop);
        if (digest?.take(answer) === true) continue;
      }
      if (answer.status === 408 || answer.status === 481) this.finish({ cause: 'timeout' });
      return answer;
    }
  }

  #once(
    request: SipRequest,
    hop: Hop,
    use: RequestUse,
  ): Promise<{ answer: Answer; transaction: ClientTransaction }> {
    return new Promise((resolve) => {
      const handlers: ClientHandlers = {
        onResponse: (response) => {
          if (response.status >= 200) resolve({ answer: response, transaction });
        },
        onFailure: () => resolve({ answer: 'failed', transaction }),
      };
      const transaction = this.core.layer.request(request, hop, handlers, { use });
    });
  }

  /** The same request with the next number. */
  #again(request: SipRequest): SipRequest {
    const again = this.dialog!.request(request.method);
    const headers = request.headers.copy();
    headers.set('cseq', again.headers.get('cseq')!);
    return { ...request, headers };
  }

  /** Where requests of the dialog go. Undefined if it cannot be resolved. */
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

  /** The call is over: its connection now times out like any other. */
  protected letGoOfFlow(): void {
    this.#letGo();
  }

  /** BYE; waits for its answer with a time limit. */
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

  /** Adds the headers of every response within a dialog. */
  protected async complete(response: SipResponse, transaction: ServerTransaction): Promise<SipResponse> {
    this.core.describe(response.headers, 'response');
    const { protocol, host, port, connection } = transaction.source;
    response.headers.add(
      'contact',
      await this.core.contact({ protocol, host, port, flow: connection }, this.isSips),
    );
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
