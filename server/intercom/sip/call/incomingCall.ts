import { FaceplateError } from '../../../contract/errors.ts';
import type { IncomingCall } from '../../ports.ts';
import { Dialog } from '../dialog/dialog.ts';
import { type ReceivedRequest, responseTo, type SipResponse, sdpOf, withBody } from '../message/message.ts';
import { RepeatedResponse, type ServerTransaction } from '../transaction/serverTransaction.ts';
import { Call } from './call.ts';
import type { CallCore } from './callCore.ts';
import { readCallHeaders } from './callHeaders.ts';

/** Time limit of an unanswered INVITE; callers' proxies give up after three minutes. */
const UNANSWERED_MS = 180_000;
const ELSEWHERE = /(?:^|,)\s*SIP\s*;(?:[^,]*;)?\s*cause\s*=\s*200\b/i;

interface Reliable {
  readonly rseq: number;
  readonly repeated: RepeatedResponse;
  readonly acknowledged: Promise<void>;
  readonly resolve: () => void;
}

/** An incoming call (RFC 3261 section 13.3). */
export class IncomingSipCall extends Call implements IncomingCall {
  readonly offer: string | undefined;
  readonly autoAnswer: boolean;
  readonly pageId?: string;
  protected readonly ownsCallId = false;
  readonly #transaction: ServerTransaction;
  readonly #needsReliable: boolean;
  #reliable: Reliable | undefined;
  #accepting: RepeatedResponse | undefined;
  #acknowledgedWith: ((sdp: string | undefined) => void) | undefined;
  #abandon: (() => void) | undefined;
  #accepted: Promise<unknown> = Promise.resolve();
  readonly #cancelUnanswered: () => void;

  constructor(
    core: CallCore,
    transaction: ServerTransaction,
    dialog: (localTag: string) => Dialog,
    known: { readonly viaRegistrar: boolean; readonly isProven: boolean },
  ) {
    super(core, transaction.request.core.callId, known.viaRegistrar);
    this.isProven = known.isProven;
    const { request, source } = transaction;
    this.#transaction = transaction;
    this.dialog = dialog(this.localTag);
    this.isSips = Dialog.isSips(request);
    this.offer = sdpOf(request);
    const { autoAnswer = false, pageId } = readCallHeaders(request.headers);
    this.autoAnswer = autoAnswer;
    if (pageId !== undefined) this.pageId = pageId;
    // RFC 3262 section 3: only if the caller requires it.
    this.#needsReliable = request.headers.tokens('require').includes('100rel');
    this.meet(request, source);
    transaction.onCancel = (cancel) => this.#onCancel(cancel);
    this.#cancelUnanswered = core.clock.after(UNANSWERED_MS, () => {
      this.#refuse(480);
      this.finish({ cause: 'timeout' });
    });
  }

  async ring(sdp?: string): Promise<void> {
    if (this.isOver || this.#transaction.isAnswered) return;
    // Once sent, a reliable response is pending until it is acknowledged.
    if (this.#reliable !== undefined && !this.#reliable.repeated.isDone) return;
    const status = sdp === undefined ? 180 : 183;
    const response = await this.complete(
      responseTo(this.#transaction.request, status, this.localTag),
      this.#transaction,
    );
    if (sdp !== undefined) this.localSdp = sdp;
    const full = sdp === undefined ? response : withBody(response, 'application/sdp', sdp);
    if (this.isOver || this.#transaction.isAnswered) return;
    if (this.#needsReliable) this.#sendReliably(full);
    else this.#transaction.respond(full);
  }

  #sendReliably(response: SipResponse): void {
    const rseq = (this.#reliable?.rseq ?? Math.floor(this.core.random() * 2 ** 30)) + 1;
    response.headers.add('require', '100rel');
    response.headers.add('rseq', String(rseq));
    let resolve = (): void => {};
    const acknowledged = new Promise<void>((done) => {
      resolve = done;
    });
    // Section 3: a caller that does not acknowledge it is gone.
    const repeated = new RepeatedResponse(this.core.clock, this.#transaction, response, () => {
      this.#refuse(504);
      this.finish({ cause: 'timeout' });
    });
    this.#reliable = { rseq, repeated, acknowledged, resolve };
  }

  async accept(sdp: string): Promise<string | undefined> {
    if (this.#reliable !== undefined && !this.#reliable.repeated.isDone) await this.#reliable.acknowledged;
    const { request } = this.#transaction;
    if (this.isOver || this.#transaction.isAnswered)
      throw new FaceplateError('CONFLICT', 'There is no call to answer.');
    this.localSdp = sdp;
    const response = await this.complete(responseTo(request, 200, this.localTag), this.#transaction);
    const full = withBody(response, 'application/sdp', sdp);
    if (this.isProven) await this.core.prove(full, this.#transaction.source);
    if (this.isOver || this.#transaction.isAnswered)
      throw new FaceplateError('CONFLICT', 'There is no call to answer.');
    this.agreeOnSession(request, full);
    this.#cancelUnanswered();
    const accepted = new Promise<string | undefined>((resolve, reject) => {
      this.#acknowledgedWith = resolve;
      this.#abandon = () => reject(new FaceplateError('CONFLICT', 'The call ended before it was set up.'));
      // No ACK within 64 T1: the call is ended (section 13.3.1.4).
      this.#accepting = new RepeatedResponse(this.core.clock, this.#transaction, full, () => this.loseCall());
    });
    this.#accepted = accepted.catch(() => {});
    return accepted;
  }

  async reject(status: 480 | 486 | 488 | 603 = 486): Promise<void> {
    if (this.isOver || this.#transaction.isAnswered) return;
    this.#refuse(status);
    this.close();
  }

  protected override async sayGoodbye(): Promise<void> {
    if (this.isOver) return;
    if (!this.#transaction.isAnswered) {
      await this.reject(480);
      return;
    }
    this.onEnd = () => {};
    // No BYE before the ACK (section 15).
    if (this.#accepting?.isDone === false) await this.patience(this.#accepted);
    if (this.isOver) return;
    this.close();
    await this.sayBye();
  }

  override acknowledged(request: ReceivedRequest): void {
    if (
      this.#accepting === undefined ||
      request.core.cseq.number !== this.#transaction.request.core.cseq.number
    ) {
      super.acknowledged(request);
      return;
    }
    this.#accepting.stop();
    this.#acknowledgedWith?.(sdpOf(request));
    this.#abandon = undefined;
  }

  protected override async takePrack(transaction: ServerTransaction): Promise<void> {
    const { request } = transaction;
    const rack = /^(\d+)\s+(\d+)\s+INVITE$/i.exec((request.headers.get('rack') ?? '').trim());
    const reliable = this.#reliable;
    const isOurs =
      reliable !== undefined &&
      Number(rack?.[1]) === reliable.rseq &&
      Number(rack?.[2]) === this.#transaction.request.core.cseq.number;
    const response = responseTo(request, isOurs ? 200 : 481, this.localTag);
    this.core.describe(response.headers, 'response');
    transaction.respond(response);
    if (!isOurs) return;
    reliable.repeated.stop();
    reliable.resolve();
  }

  /** A caller may also end an unanswered call with BYE (section 15.1.2). */
  protected override byeReceived(): void {
    if (this.#transaction.isAnswered) super.byeReceived();
    else {
      this.#refuse(487);
      this.finish({ cause: 'cancel', answeredElsewhere: false });
    }
  }

  protected override close(): void {
    this.#cancelUnanswered();
    this.#accepting?.stop();
    this.#reliable?.repeated.stop();
    this.#reliable?.resolve();
    super.close();
    this.#abandon?.();
    this.#abandon = undefined;
  }

  protected override get isEstablished(): boolean {
    return this.#accepting?.isDone === true && super.isEstablished;
  }

  #onCancel(cancel: ReceivedRequest): void {
    this.#refuse(487);
    const answeredElsewhere = ELSEWHERE.test(cancel.headers.all('reason').join(','));
    this.finish({ cause: 'cancel', answeredElsewhere });
  }

  #refuse(status: number): void {
    const response = responseTo(this.#transaction.request, status, this.localTag);
    this.core.describe(response.headers, 'response');
    this.#transaction.respond(response);
  }
}
