import { FaceplateError } from '../../../contract/errors.ts';
import type { CallEnd, SignalledCall } from '../../ports.ts';
import { MIN_SE, minSeOf, SessionTimer, sessionExpiresOf } from '../dialog/dialog.ts';
import {
  contentTypeOf,
  type ReceivedRequest,
  responseTo,
  type SipMessage,
  type SipResponse,
  sdpOf,
  withBody,
} from '../message/message.ts';
import { clean } from '../message/syntax.ts';
import { RepeatedResponse, type ServerTransaction } from '../transaction/serverTransaction.ts';
import { GIVE_UP_MS } from '../transaction/timers.ts';
import { type CallCore, LIFE_MS } from './callCore.ts';
import { DialogUser } from './dialogUser.ts';

const SDP = 'application/sdp';
const KEYS = 'application/dtmf-relay';
/** Bodies of INFO that a call may understand. */
const INFO_BODIES = `${KEYS}, application/dtmf, audio/telephone-event, application/media_control+xml`;

/** Common to both directions of a call: requests of the remote party within it, and its lifetime. */
export abstract class Call extends DialogUser implements SignalledCall {
  onEnd: (end: CallEnd) => void = () => {};
  onOffer: (sdp: string) => Promise<string> = () => Promise.reject(new Error('no offer is taken'));
  onInfo: (contentType: string, body: string) => boolean = () => false;
  /** Our last description, for refreshes. */
  protected localSdp = '';
  readonly #sessionTimer: SessionTimer;
  #sessionSeconds = 0;
  /** Our offer that waits for its answer. */
  #isOffering = false;
  #goodbye: Promise<void> | undefined;
  /** A re-INVITE of the remote party, from its arrival to its ACK. */
  #reInvite: { readonly cseq: number; repeated: RepeatedResponse | undefined } | undefined;

  constructor(core: CallCore, callId: string, viaRegistrar: boolean) {
    super(core, callId, viaRegistrar);
    this.#sessionTimer = new SessionTimer(core.clock, {
      onRefresh: () => void this.#refresh(),
      onExpired: () => this.#lose(),
    });
  }

  /** Ends the call in any state; resolves when the remote party has confirmed it, or after a time limit. */
  hangup(): Promise<void> {
    this.#goodbye ??= this.sayGoodbye();
    return this.#goodbye;
  }

  protected abstract sayGoodbye(): Promise<void>;

  /** BYE in the background; a later hangup waits for it too. */
  protected byeInPassing(): void {
    this.#goodbye ??= this.sayBye();
  }

  async sendInfo(contentType: string, body: string): Promise<void> {
    if (this.dialog === undefined || this.isOver) throw new FaceplateError('CONFLICT', 'There is no call.');
    const use = contentType === KEYS ? 'keys' : 'call';
    const answer = await this.send(withBody(this.dialog.request('INFO'), clean(contentType), body), use);
    if (answer === 'failed' || answer.status >= 300)
      throw new FaceplateError('CONFLICT', 'The remote party did not take the message.');
  }

  async isThere(): Promise<boolean> {
    if (this.dialog === undefined || this.isOver) return false;
    const request = this.dialog.request('OPTIONS');
    request.headers.add('accept', SDP);
    this.core.describe(request.headers, 'request');
    let cancel = (): void => {};
    const limit = new Promise<boolean>((resolve) => {
      cancel = this.core.clock.after(LIFE_MS, () => resolve(false));
    });
    // Any answer is one, also a refusal; 481 has ended the call.
    const asked = this.send(request).then((answer) => answer !== 'failed' && !this.isOver);
    const isThere = await Promise.race([asked, limit]);
    cancel();
    return isThere;
  }

  /** A request of the remote party within the dialog, its address already checked. */
  receive(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { dialog } = this;
    if (dialog === undefined || this.isOver) {
      this.respond(transaction, 481);
      return;
    }
    const mayChangeCall = request.method === 'INVITE' || request.method === 'UPDATE';
    if (mayChangeCall && this.isProven && !this.core.isProven(request, transaction.source)) {
      // An eavesdropper who knows the tags could replace the panel's voice.
      this.respond(transaction, 403);
      return;
    }
    if (!dialog.takes(request)) {
      this.respond(transaction, 500);
      return;
    }
    this.onLife();
    switch (request.method) {
      case 'BYE':
        this.respond(transaction, 200);
        this.byeReceived();
        break;
      case 'INFO':
        if (request.body.length === 0 || this.onInfo(contentTypeOf(request), request.body.toString('utf8')))
          this.respond(transaction, 200);
        else this.respond(transaction, 415, [['accept', INFO_BODIES]]);
        break;
      case 'INVITE':
        void this.#takeReInvite(transaction);
        break;
      case 'UPDATE':
        void this.#takeUpdate(transaction);
        break;
      case 'PRACK':
        void this.takePrack(transaction);
        break;
      default:
        this.respond(transaction, ['OPTIONS', 'MESSAGE'].includes(request.method) ? 200 : 405);
    }
  }

  /** An ACK of the remote party, for a 2xx that we repeat. */
  acknowledged(request: ReceivedRequest): void {
    if (this.#reInvite?.cseq !== request.core.cseq.number) return;
    this.#reInvite.repeated?.stop();
    this.#reInvite = undefined;
  }

  /** The call is over for a reason that is not ours: reported once. */
  protected finish(end: CallEnd): void {
    if (this.isOver) return;
    this.close();
    this.onEnd(end);
  }

  /** The call is over. */
  protected close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.letGoOfFlow();
    this.#sessionTimer.stop();
    this.#reInvite?.repeated?.stop();
    // Retransmissions and goodbyes may still be under way.
    this.core.clock.after(GIVE_UP_MS, () => this.core.release(this));
  }

  protected byeReceived(): void {
    this.finish({ cause: 'bye' });
  }

  protected abstract takePrack(transaction: ServerTransaction): Promise<void>;

  /** RFC 4028: both ends have agreed on a session of this length. */
  protected startSession(seconds: number, weRefresh: boolean): void {
    this.#sessionSeconds = seconds;
    this.#sessionTimer.restart(seconds, weRefresh);
  }

  /** A new offer of the remote party within the call (section 14.2), or a refresh of the session. */
  async #takeReInvite(transaction: ServerTransaction): Promise<void> {
    const { request } = transaction;
    const wait = ['retry-after', String(Math.floor(this.core.random() * 10))] as const;
    if (this.#reInvite !== undefined) return this.respond(transaction, 500, [wait]);
    if (this.#isOffering || !this.isEstablished) return this.respond(transaction, 491);
    this.#reInvite = { cseq: request.core.cseq.number, repeated: undefined };
    const answer = await this.#answerTo(request);
    if (this.isOver) return this.respond(transaction, 487);
    if (transaction.isAnswered || this.#isTooShort(transaction) || answer === undefined) {
      this.#reInvite = undefined;
      if (answer === undefined) this.respond(transaction, 488);
      return;
    }
    this.dialog!.refresh(request);
    this.meet(request, transaction.source);
    const response = await this.complete(responseTo(request, 200, this.localTag), transaction);
    this.agreeOnSession(request, response);
    const full = withBody(response, SDP, answer);
    if (this.#reInvite !== undefined)
      this.#reInvite.repeated = new RepeatedResponse(this.core.clock, transaction, full, () => this.#lose());
  }

  /** RFC 3311. */
  async #takeUpdate(transaction: ServerTransaction): Promise<void> {
    const { request } = transaction;
    const offer = sdpOf(request);
    if (offer !== undefined && (this.#isOffering || !this.isEstablished))
      return this.respond(transaction, 491);
    if (offer !== undefined && this.#reInvite !== undefined)
      return this.respond(transaction, 500, [['retry-after', '1']]);
    if (this.#isTooShort(transaction)) return;
    const answer = offer === undefined ? undefined : await this.#answerTo(request);
    if (offer !== undefined && answer === undefined) return this.respond(transaction, 488);
    this.dialog!.refresh(request);
    this.meet(request, transaction.source);
    const response = await this.complete(responseTo(request, 200, this.localTag), transaction);
    this.agreeOnSession(request, response);
    transaction.respond(answer === undefined ? response : withBody(response, SDP, answer));
  }

  protected get isEstablished(): boolean {
    return this.dialog !== undefined && !this.isOver;
  }

  /** @returns our answer; for a re-INVITE without an offer our last description; undefined if no codec fits. */
  async #answerTo(message: SipMessage): Promise<string | undefined> {
    const offer = sdpOf(message);
    if (offer === undefined) return this.localSdp;
    try {
      this.localSdp = await this.onOffer(offer);
      return this.localSdp;
    } catch {
      return undefined;
    }
  }

  /** RFC 4028 section 9: refuses a session that is too short. @returns whether it did */
  #isTooShort(transaction: ServerTransaction): boolean {
    const wanted = sessionExpiresOf(transaction.request.headers);
    if (wanted === undefined || wanted.seconds >= MIN_SE) return false;
    this.respond(transaction, 422, [['min-se', String(MIN_SE)]]);
    return true;
  }

  /** The called side of RFC 4028 section 9: accepts what the caller requests. */
  protected agreeOnSession(request: ReceivedRequest, response: SipResponse): void {
    const wanted = sessionExpiresOf(request.headers);
    if (wanted === undefined) return;
    const isTheirs = request.headers.tokens('supported').includes('timer');
    const refresher = isTheirs ? (wanted.refresher ?? 'uac') : 'uas';
    response.headers.add('session-expires', `${wanted.seconds};refresher=${refresher}`);
    if (isTheirs) response.headers.add('require', 'timer');
    this.startSession(wanted.seconds, refresher === 'uas');
  }

  /** We refresh the session: UPDATE, or a re-INVITE with the current description. */
  async #refresh(): Promise<void> {
    if (this.isOver) return;
    if (!this.isEstablished || this.#isOffering || this.#reInvite !== undefined) {
      this.core.clock.after(1_000, () => void this.#refresh());
      return;
    }
    const byUpdate = this.peerTakesUpdate;
    const request = this.dialog!.request(byUpdate ? 'UPDATE' : 'INVITE');
    request.headers.add('session-expires', `${Math.max(this.#sessionSeconds, MIN_SE)};refresher=uac`);
    this.core.describe(request.headers, 'request');
    const hop = await this.nextHop();
    if (hop === undefined) return;
    request.headers.add('contact', await this.core.contact(hop, this.isSips));
    this.#isOffering = !byUpdate;
    const full = byUpdate ? request : withBody(request, SDP, this.localSdp);
    if (!this.viaRegistrar) await this.core.prove(full, hop);
    const answer = await this.send(full);
    this.#isOffering = false;
    if (answer === 'failed' || this.isOver) return;
    if (answer.status < 300) {
      if (!byUpdate) await this.acknowledge(answer);
      this.dialog!.refresh(answer);
      const agreed = sessionExpiresOf(answer.headers);
      this.startSession(agreed?.seconds ?? this.#sessionSeconds, agreed?.refresher !== 'uas');
    } else if (answer.status === 422) {
      this.#sessionSeconds = Math.max(minSeOf(answer.headers) ?? 0, this.#sessionSeconds);
      void this.#refresh();
    } else if (answer.status === 491) this.#refreshAfterGlare();
    else if (byUpdate && (answer.status === 405 || answer.status === 501)) {
      // It names UPDATE in Allow, and then does not take it.
      this.peerTakesUpdate = false;
      void this.#refresh();
    }
  }

  /** Section 14.1: the side that made the Call-ID waits longer, so that the two do not collide again. */
  #refreshAfterGlare(): void {
    const wait = this.ownsCallId ? 2_100 + this.core.random() * 1_900 : this.core.random() * 2_000;
    this.core.clock.after(wait, () => void this.#refresh());
  }

  protected abstract readonly ownsCallId: boolean;

  /** The session is not refreshed, or our 2xx is not acknowledged. */
  #lose(): void {
    if (this.isOver) return;
    this.byeInPassing();
    this.finish({ cause: 'timeout' });
  }

  /** Like `#lose`, for an accepted call whose ACK never came. */
  protected loseCall(): void {
    this.#lose();
  }
}
