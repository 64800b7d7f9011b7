import type { Clock } from '../../../platform/clock.ts';
import type { CallEnd, OutgoingCall } from '../../ports.ts';
import type { RateLimits } from '../admission.ts';
import { Dialog, sessionExpiresOf } from '../dialog/dialog.ts';
import { type ReceivedResponse, responseTo, sdpOf } from '../message/message.ts';
import { clean, parseNumber } from '../message/syntax.ts';
import { type ClientTransaction, relatedRequest } from '../transaction/clientTransaction.ts';
import { newTag, type TransactionLayer } from '../transaction/layer.ts';
import type { ServerTransaction } from '../transaction/serverTransaction.ts';
import { GIVE_UP_MS } from '../transaction/timers.ts';
import type { Hop, Source } from '../transport/hop.ts';
import { Call } from './call.ts';
import { type CallCore, LIFE_MS } from './callCore.ts';
import { type CallPlan, Invitation } from './invitation.ts';

const REASON_CHARS = 100;

/** An outgoing call (RFC 3261 section 13.2). */
export class OutgoingSipCall extends Call implements OutgoingCall {
  onProgress: (status: number, sdp: string | undefined) => void = () => {};
  onAccepted: (sdp: string) => void = () => {};
  protected readonly ownsCallId = true;
  readonly #invitation: Invitation;
  #transaction: ClientTransaction | undefined;
  #cseq = 0;
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
    super(core, newTag(), plan.viaRegistrar);
    this.#invitation = new Invitation(core, plan);
    this.localSdp = plan.sdp;
    this.#final = new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  /**
   * Sends the INVITE. Never throws: a failure is reported by `onEnd`.
   * @param mayStart false if there are already too many calls
   */
  async start(mayStart: boolean): Promise<void> {
    if (this.isOver) return;
    if (!mayStart) {
      this.#finish({ cause: 'refused', status: 503, reason: 'too many calls' });
      return;
    }
    this.#cancelLife = this.core.clock.after(LIFE_MS, () => this.#noLife());
    try {
      await this.#invitation.find();
      if (this.isOver) return;
      if (this.#invitation.hop !== undefined) await this.#invite();
      else this.#finish({ cause: 'refused', status: 404, reason: 'no registrar is known' });
    } catch {
      this.#finish({ cause: 'unreachable' });
    }
  }

  protected override async sayGoodbye(): Promise<void> {
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
    const { hop } = this.#invitation;
    if (hop === undefined) throw new Error('there is no place to call');
    this.addresses.add(hop.host);
    const { callId, localTag } = this;
    this.isSips = this.#invitation.isSips;
    const request = await this.#invitation.request(hop, { callId, localTag, cseq: ++this.#cseq });
    if (this.isOver) return;
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

  /** RFC 3262 section 4: acknowledges each reliable provisional response once and in order. */
  #prack(response: ReceivedResponse): void {
    const rseq = parseNumber(response.headers.get('rseq') ?? '', 2 ** 32 - 1);
    if (rseq === undefined || !response.headers.tokens('require').includes('100rel')) return;
    const tag = response.core.to.params.get('tag') ?? '';
    const last = this.#lastRseq.get(tag);
    if ((last !== undefined && rseq !== last + 1) || this.#lastRseq.size > 8) return;
    // Another early dialog: several phones may ring.
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
      // Our ACK got lost, or a second phone answered (section 13.2.2.4).
      if (tag === this.dialog?.remoteTag) await this.acknowledge(response);
      else this.core.decline(response, source);
      return;
    }
    this.#settled();
    // Numbers continue after those of an early dialog.
    const dialog = Dialog.ofResponse(response, this.#cseq);
    if (this.isOver || dialog === undefined) {
      // The 2xx crossed our CANCEL.
      this.core.decline(response, source);
      return;
    }
    this.#isAccepted = true;
    this.isProven = sdpOf(response) !== undefined && this.core.isProven(response, source);
    this.dialog = dialog;
    this.meet(response, source);
    this.#invitation.accepted();
    await this.acknowledge(response);
    const sdp = sdpOf(response) ?? this.#earlySdp;
    if (sdp === undefined) {
      this.byeInPassing();
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
    const mayBeTaken = await this.#invitation.learns(response, this.#transaction!.hop);
    if (this.isOver) return;
    if (mayBeTaken) {
      this.viaRegistrar = this.#invitation.viaRegistrar;
      await this.#invite().catch(() => this.#finish({ cause: 'unreachable' }));
      return;
    }
    const reason = clean(response.reason).slice(0, REASON_CHARS);
    this.#finish({ cause: 'refused', status: response.status, reason });
  }

  #onFailure(cause: 'timeout' | 'transport', problem: string): void {
    this.#settled();
    if (this.isOver) return;
    if (cause === 'transport' && this.#invitation.tryNext()) {
      this.#invite().catch(() => this.#finish({ cause: 'unreachable' }));
      return;
    }
    if (this.#isProvisional) this.#finish({ cause: 'timeout' });
    else this.#finish({ cause: 'unreachable', ...(cause === 'transport' && { problem }) });
  }

  #noLife(): void {
    // If the callee wakes up now, it must not ring: a late answer is cancelled or declined.
    this.#isCancelled = true;
    this.#transaction?.stopRepeating();
    this.#finish({ cause: 'unreachable' });
  }

  /** Only after a provisional response (section 9.1); then waits for the final one, with a time limit. */
  #cancel(): void {
    const transaction = this.#transaction;
    if (transaction === undefined || this.#isCancelSent) return;
    this.#isCancelSent = true;
    const cancel = relatedRequest(transaction.request, 'CANCEL');
    const ignore = (): void => {};
    const handlers = { onResponse: ignore, onFailure: ignore };
    this.core.layer.request(cancel, transaction.hop, handlers, { branch: transaction.branch });
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

const MAX_ENDED = 100;

/**
 * Ends unwanted dialogs that a 2xx created: from a second phone that answered, or one that was faster than our CANCEL
 * (RFC 3261 section 13.2.2.4). ACK and BYE go back to where the answer came from, not to its Contact: otherwise the
 * answering host could make us send to a third host.
 */
export class LateForkResponses {
  readonly #clock: Clock;
  readonly #layer: TransactionLayer;
  readonly #limits: RateLimits;
  /** Dialogs that got a BYE, and until when their answer may be repeated. */
  readonly #ended = new Map<string, number>();

  constructor(parts: { clock: Clock; layer: TransactionLayer; limits: RateLimits }) {
    this.#clock = parts.clock;
    this.#layer = parts.layer;
    this.#limits = parts.limits;
  }

  /** Sends ACK each time, and BYE once. @param response a 2xx to one of our INVITEs */
  decline(response: ReceivedResponse, source: Source): void {
    const dialog = Dialog.ofResponse(response);
    if (dialog?.nextHop === undefined || !this.#limits.take(source.host, 'decline')) return;
    const hop: Hop = {
      protocol: source.protocol,
      host: source.host,
      port: source.port,
      flow: source.connection,
    };
    const ignore = (): void => {};
    this.#layer.acknowledge(dialog.request('ACK', response.core.cseq.number), hop).catch(ignore);
    if (!this.#isFirst(`${dialog.callId} ${dialog.localTag} ${dialog.remoteTag}`)) return;
    const handlers = { onResponse: ignore, onFailure: ignore };
    this.#layer.request(dialog.request('BYE'), hop, handlers, { use: 'decline' });
  }

  #isFirst(dialog: string): boolean {
    const now = this.#clock.now();
    for (const [oldest, until] of this.#ended) {
      if (until > now && this.#ended.size < MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
    if (this.#ended.has(dialog)) return false;
    this.#ended.set(dialog, now + GIVE_UP_MS);
    return true;
  }
}
