import { randomUUID } from 'node:crypto';
import type {
  CallEnd,
  CallHeaders,
  OutgoingCall as OutgoingCallInterface,
} from '../../services/sip/driver.ts';
import type { DigestClient } from '../auth/digestClient.ts';
import { Dialog } from '../dialog/dialog.ts';
import { MIN_SE, minSeOf, SESSION_EXPIRES, sessionExpiresOf } from '../dialog/sessionTimer.ts';
import { formatNameAddr, parseNameAddrs } from '../message/fields.ts';
import { Headers } from '../message/headers.ts';
import {
  NO_BODY,
  type ReceivedResponse,
  responseTo,
  type SipRequest,
  sdpOf,
  withBody,
} from '../message/message.ts';
import { clean, parseNumber } from '../message/syntax.ts';
import { formatUri, type SipUri } from '../message/uri.ts';
import { type ClientTransaction, relatedRequest } from '../transaction/clientTransaction.ts';
import type { ServerTransaction } from '../transaction/serverTransaction.ts';
import { GIVE_UP_MS } from '../transaction/timers.ts';
import type { Hop, Source } from '../transport/hop.ts';
import { Call } from './call.ts';
import { type CallCore, LIFE_MS } from './callCore.ts';
import { writeCallHeaders } from './callHeaders.ts';

const REASON_CHARS = 100;

/** What a call is to do. */
export interface CallPlan {
  readonly uri: SipUri;
  /** Display name and address that we call from. */
  readonly from: { readonly displayName: string; readonly uri: (localAddress: string) => SipUri };
  /** Places to try, best first. @throws Error where there is none */
  readonly hops: () => Promise<readonly Hop[]>;
  readonly viaRegistrar: boolean;
  readonly sdp: string;
  readonly headers: CallHeaders;
}

/** A call of ours (RFC 3261 section 13.2). */
export class OutgoingCall extends Call implements OutgoingCallInterface {
  onProgress: (status: number, sdp: string | undefined) => void = () => {};
  onAccepted: (sdp: string) => void = () => {};
  protected readonly ownsCallId = true;
  #plan: CallPlan;
  #hops: readonly Hop[] = [];
  #transaction: ClientTransaction | undefined;
  #cseq = 0;
  #minSe = MIN_SE;
  #digest: DigestClient | undefined;
  #isRedirected = false;
  #isAccepted = false;
  #isProvisional = false;
  #isCancelled = false;
  #isCancelSent = false;
  #earlySdp: string | undefined;
  /** RSeq of the last reliable provisional response, by the tag that sent it (RFC 3262 section 4). */
  readonly #lastRseq = new Map<string, number>();
  #cancelLife = (): void => {};
  #settled = (): void => {};
  readonly #final: Promise<void>;

  constructor(core: CallCore, plan: CallPlan) {
    super(core, randomUUID(), plan.viaRegistrar);
    this.#plan = plan;
    this.localSdp = plan.sdp;
    this.#final = new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  /**
   * Sends the INVITE. Never throws: what goes wrong is an `onEnd`.
   * @param mayStart false where there are too many calls already
   */
  async start(mayStart: boolean): Promise<void> {
    if (this.isOver) return;
    if (!mayStart) {
      this.#finish({ cause: 'refused', status: 503, reason: 'too many calls' });
      return;
    }
    this.#cancelLife = this.core.clock.after(LIFE_MS, () => this.#noLife());
    try {
      this.#hops = await this.#plan.hops();
      if (this.isOver) return;
      if (this.#hops.length > 0) await this.#invite();
      else this.#finish({ cause: 'refused', status: 404, reason: 'no registrar is known' });
    } catch {
      this.#finish({ cause: 'unreachable' });
    }
  }

  async hangup(): Promise<void> {
    if (this.isOver) return;
    this.#cancelLife();
    this.close();
    if (this.#isAccepted) {
      await this.sayBye();
      return;
    }
    this.#isCancelled = true;
    if (this.#isProvisional) this.#cancel();
    if (this.#transaction !== undefined) await this.patience(this.#final);
  }

  async #invite(): Promise<void> {
    const hop = this.#hops[0];
    if (hop === undefined) throw new Error('there is no place to call');
    this.addresses.add(hop.host);
    const request = await this.#request(hop);
    if (this.isOver) return;
    if (this.core.digestFor(hop) !== undefined) this.#digest?.sign(request);
    this.#isProvisional = false;
    const transaction = this.core.layer.request(request, hop, {
      onResponse: (response, source) => {
        if (transaction === this.#transaction) this.#onResponse(response, source);
      },
      onFailure: (cause, problem) => {
        if (transaction === this.#transaction) this.#onFailure(cause, problem);
      },
    });
    this.#transaction = transaction;
  }

  async #request(hop: Hop): Promise<SipRequest> {
    const { uri, from, headers: wanted } = this.#plan;
    const address = await this.core.localAddress(hop);
    const own = {
      displayName: from.displayName,
      uri: from.uri(address),
      params: new Map([['tag', this.localTag]]),
    };
    const headers = Headers.of([
      ['Max-Forwards', '70'],
      ['From', formatNameAddr(own)],
      ['To', `<${formatUri(uri)}>`],
      ['Call-ID', this.callId],
      ['CSeq', `${++this.#cseq} INVITE`],
      ['Contact', await this.core.contact(hop)],
      ['Session-Expires', String(Math.max(SESSION_EXPIRES, this.#minSe))],
      ['Min-SE', String(this.#minSe)],
    ]);
    this.core.describe(headers, 'request');
    writeCallHeaders(headers, wanted, address);
    const request: SipRequest = {
      kind: 'request',
      method: 'INVITE',
      uri: formatUri(uri),
      headers,
      body: NO_BODY,
    };
    return withBody(request, 'application/sdp', this.localSdp);
  }

  #onResponse(response: ReceivedResponse, source: Source): void {
    this.#cancelLife();
    if (response.status >= 200) {
      if (response.status < 300) void this.#onAnswer(response, source);
      else void this.#onRefusal(response);
      return;
    }
    this.#isProvisional = true;
    if (this.#isCancelled) {
      this.#cancel();
      return;
    }
    if (this.isOver || response.status === 100) return;
    this.meet(response, source);
    this.#prack(response);
    const sdp = sdpOf(response);
    this.#earlySdp = sdp ?? this.#earlySdp;
    this.onProgress(response.status, sdp);
  }

  /** RFC 3262 section 4: acknowledges a reliable provisional response, each once and in order. */
  #prack(response: ReceivedResponse): void {
    const rseq = parseNumber(response.headers.get('rseq') ?? '', 2 ** 32 - 1);
    if (rseq === undefined || !response.headers.tokens('require').includes('100rel')) return;
    const tag = response.core.to.params.get('tag') ?? '';
    const last = this.#lastRseq.get(tag);
    if ((last !== undefined && rseq !== last + 1) || this.#lastRseq.size > 8) return;
    // An early dialog of its own: several phones may ring.
    const early = this.dialog?.remoteTag === tag ? this.dialog : Dialog.ofResponse(response);
    if (early === undefined) return;
    this.#lastRseq.set(tag, rseq);
    this.dialog = early;
    const prack = early.request('PRACK');
    this.#cseq++;
    prack.headers.add('rack', `${rseq} ${response.core.cseq.number} INVITE`);
    void this.send(prack);
  }

  async #onAnswer(response: ReceivedResponse, source: Source): Promise<void> {
    const tag = response.core.to.params.get('tag') ?? '';
    if (this.#isAccepted) {
      // Our ACK got lost, or a second phone was lifted (section 13.2.2.4).
      if (tag === this.dialog?.remoteTag) await this.acknowledge(response);
      else this.core.decline(response);
      return;
    }
    this.#settled();
    // Numbers go on after those of an early dialog.
    const dialog = Dialog.ofResponse(response, this.#cseq);
    if (this.isOver || dialog === undefined) {
      // It crossed our CANCEL.
      this.core.decline(response);
      return;
    }
    this.#isAccepted = true;
    this.dialog = dialog;
    this.meet(response, source);
    this.#digest?.accepted();
    await this.acknowledge(response);
    const sdp = sdpOf(response) ?? this.#earlySdp;
    if (sdp === undefined) {
      void this.sayBye();
      this.#finish({ cause: 'refused', status: 488, reason: 'no session description' });
      return;
    }
    const session = sessionExpiresOf(response.headers);
    if (session !== undefined) this.startSession(session.seconds, session.refresher !== 'uas');
    if (!this.isOver) this.onAccepted(sdp);
  }

  async #onRefusal(response: ReceivedResponse): Promise<void> {
    this.#settled();
    if (this.isOver) return;
    const { status } = response;
    const next =
      status === 401 || status === 407
        ? this.#takesChallenge(response)
        : status === 422
          ? this.#takesInterval(response)
          : status >= 300 && status < 400 && (await this.#takesRedirection(response));
    if (this.isOver) return;
    if (next) {
      await this.#invite().catch(() => this.#finish({ cause: 'unreachable' }));
      return;
    }
    if (status === 503 && this.#tryNextHop()) return;
    const reason = clean(response.reason).slice(0, REASON_CHARS);
    this.#finish({ cause: 'refused', status, reason });
  }

  /** Credentials for the configured registrar only, whoever asks (issue: an offline attack on the password). */
  #takesChallenge(response: ReceivedResponse): boolean {
    const client = this.viaRegistrar ? this.core.digestFor(this.#transaction!.hop) : undefined;
    this.#digest ??= client;
    return client !== undefined && this.#digest!.take(response);
  }

  /** RFC 4028 section 7.4. */
  #takesInterval(response: ReceivedResponse): boolean {
    const least = minSeOf(response.headers);
    if (least === undefined || least <= this.#minSe || least > 86_400) return false;
    this.#minSe = least;
    return true;
  }

  /** Section 8.1.3.4, at most once, and never to where we may not call. */
  async #takesRedirection(response: ReceivedResponse): Promise<boolean> {
    const uri = parseNameAddrs(response.headers.all('contact'))?.[0]?.uri;
    if (this.#isRedirected || uri === undefined || uri.scheme === 'other') return false;
    this.#isRedirected = true;
    const found = await this.core.hopsTo(uri).catch(() => []);
    const hops = found.filter((hop) => this.core.mayReach(hop.host));
    if (hops.length === 0) return false;
    this.#hops = hops;
    this.#digest = undefined;
    this.viaRegistrar = hops.some((hop) => this.core.digestFor(hop) !== undefined) && this.viaRegistrar;
    this.#plan = { ...this.#plan, uri: { ...uri, headers: '' } };
    return true;
  }

  #onFailure(cause: 'timeout' | 'transport', problem: string): void {
    this.#settled();
    if (this.isOver) return;
    if (cause === 'transport' && this.#tryNextHop()) return;
    if (this.#isProvisional) this.#finish({ cause: 'timeout' });
    else this.#finish({ cause: 'unreachable', ...(cause === 'transport' && { problem }) });
  }

  /** RFC 3263 section 4.3. */
  #tryNextHop(): boolean {
    this.#hops = this.#hops.slice(1);
    if (this.#hops.length === 0) return false;
    this.#invite().catch(() => this.#finish({ cause: 'unreachable' }));
    return true;
  }

  #noLife(): void {
    // Should it wake up now, it must not ring: a late answer is cancelled or declined.
    this.#isCancelled = true;
    this.#transaction?.stopRepeating();
    this.#finish({ cause: 'unreachable' });
  }

  /** Only after a provisional response (section 9.1); then waits for the final one, but not for ever. */
  #cancel(): void {
    const transaction = this.#transaction;
    if (transaction === undefined || this.#isCancelSent) return;
    this.#isCancelSent = true;
    const cancel = relatedRequest(transaction.request, 'CANCEL');
    const ignore = (): void => {};
    this.core.layer.request(
      cancel,
      transaction.hop,
      { onResponse: ignore, onFailure: ignore },
      transaction.branch,
    );
    this.core.clock.after(GIVE_UP_MS, () => {
      if (transaction.state === 'proceeding') transaction.end();
    });
  }

  #finish(end: CallEnd): void {
    this.#cancelLife();
    this.finish(end);
  }

  protected override async takePrack(transaction: ServerTransaction): Promise<void> {
    transaction.respond(responseTo(transaction.request, 481, this.localTag));
  }

  protected override get isEstablished(): boolean {
    return this.#isAccepted && super.isEstablished;
  }
}
