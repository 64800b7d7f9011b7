import { RunningWork } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallTarget, IncomingCall, MediaElsewhere } from '../ports.ts';
import type { SipEvent, SipStatus } from '../sipContract.ts';
import { AnnouncementController } from './announcement.ts';
import { FailureNotice, PanelSound } from './callFeedback.ts';
import { type CallHistory, newRecord, statusWords } from './callHistory.ts';
import {
  type CallOutcome,
  type CallSession,
  partyOf,
  type SessionContext,
  type SessionObserver,
} from './callSession.ts';
import {
  type CurrentCall,
  callFacts,
  hasVideo,
  historyFacts,
  identifyCallee,
  identifyCaller,
  remote,
} from './currentCall.ts';
import { type Doors, openDoor } from './doors.ts';
import { IncomingSession } from './incomingSession.ts';
import type { Intercom } from './intercom.ts';
import { OutgoingSession } from './outgoingSession.ts';
import type { Preferences } from './preferences.ts';

interface ControllerOptions {
  readonly intercom: Intercom;
  readonly autoAnswer: boolean;
  readonly doors: Doors;
  readonly preferences: Preferences;
  readonly history: CallHistory;
  readonly clock: Clock;
  readonly log: Logger;
  emit(event: SipEvent): void;
}

/** The part of the status that the controller knows. */
type ControllerState = ReturnType<typeof callFacts> &
  Pick<SipStatus, 'callStatus' | 'calleeBusy' | 'activeCallId' | 'pagingActiveCount'>;

/** Milliseconds between two keys that a person pressed. */
const KEY_GAP_MS = 100;

/** One call at a time, or one announcement. A second caller gets 486 Busy Here. */
export class CallController {
  /** Whether calls of listed peers are answered without a touch. */
  autoAnswer: boolean;
  readonly #options: ControllerOptions;
  readonly #context: SessionContext;
  readonly #sound: PanelSound;
  readonly #background = new RunningWork();
  readonly #failure: FailureNotice;
  readonly #announcement: AnnouncementController;
  #current: CurrentCall | undefined;
  #isClosed = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.autoAnswer = options.autoAnswer;
    const { clock, log, intercom, preferences } = options;
    this.#sound = new PanelSound(intercom.page, () => preferences.values.callVolume, log);
    const { policy, signalling } = intercom;
    // A registrar, the PBX or our own, vouches for the address of a door that has an extension.
    const isVouched = (address: string): boolean =>
      signalling.isRegistrar(address) ||
      options.doors.extensions.some(
        (extension) => signalling.hostOf({ kind: 'extension', extension }) === address,
      );
    const elsewhere: MediaElsewhere = {
      isNamed: (address) => policy.isNamed(address) || isVouched(address),
      mayBeTaken: (address) => policy.mayCall(address) || isVouched(address),
    };
    this.#context = {
      clock,
      log,
      openMedia: (media) => intercom.media.open({ ...media, elsewhere }),
      takesKeys: (host, viaRegistrar) => policy.takesKeys(host, viaRegistrar || isVouched(host)),
      play: (tone) => this.#sound.play(tone),
    };
    this.#failure = new FailureNotice({ clock, log, sound: this.#sound });
    this.#announcement = new AnnouncementController({
      context: this.#context,
      media: intercom.media,
      signalling: intercom.signalling,
      history: options.history,
      failure: this.#failure,
      inBackground: (work) => this.#inBackground(work),
      emit: (event) => options.emit(event),
    });
  }

  /** Why the last action failed, as a sentence for a person. */
  get problem(): string | null {
    return this.#failure.problem;
  }

  get current(): CurrentCall | undefined {
    return this.#current;
  }

  /** The current state, for the status. */
  state(): ControllerState {
    return {
      ...callFacts(this.#current),
      callStatus: this.#words(),
      calleeBusy: this.#failure.isBusy,
      activeCallId: this.#current?.record.id ?? this.#announcement.id ?? null,
      pagingActiveCount: this.#announcement.active,
    };
  }

  /** Places a call; does nothing while there is another call or an announcement. */
  call(target: CallTarget): void {
    if (this.#isBusy()) return;
    this.#failure.clear();
    const { intercom, doors, preferences } = this.#options;
    const peerHost = intercom.signalling.hostOf(target);
    if (peerHost === undefined) {
      const sentence =
        'Nobody is known to reach this extension: set sip.registrar, and check that its name resolves.';
      this.#fail({ kind: 'failed', reason: 'unreachable', busy: false, sentence });
      return;
    }
    const { door, name, address } = identifyCallee(target, { ...intercom, doors });
    const record = newRecord('outgoing', { name, address });
    const session: OutgoingSession = new OutgoingSession(
      this.#context,
      this.#holder(() => session),
      'calling',
      preferences.values.micMuted,
    );
    this.#current = { record, session, door, offersVideo: false, wasIgnored: false };
    session.start({
      signalling: intercom.signalling,
      target,
      media: {
        video: true,
        direction: 'sendrecv',
        secure: intercom.signalling.isSecure(target),
        takesKeys: this.#context.takesKeys(peerHost, target.kind === 'extension'),
        peerHost,
      },
    });
  }

  /** Takes an incoming call. Signalling has already checked the policy. */
  incoming(call: IncomingCall): void {
    const { intercom, doors, preferences, history } = this.#options;
    const { peer, viaRegistrar } = call;
    const { door, name, address } = identifyCaller(call, { ...intercom, doors });
    const isListed = intercom.policy.isListed(peer.host);
    // Any device can send such a header and announce itself as a panel.
    const isBroadcast = call.pageId !== undefined && call.isProven;
    const answersItself = isBroadcast || (this.autoAnswer && isListed);
    const record = newRecord('incoming', { name, address, isBroadcast });
    const judged = this.#judge(call);
    const offered = !answersItself && judged.hasVideo;
    const { doNotDisturb, micMuted } = preferences.values;
    if (doNotDisturb || this.#isBusy() || this.#isClosed) {
      // RFC 3261 section 21.4.18: 480 also means "do not disturb".
      const status = doNotDisturb && !this.#isBusy() ? 480 : 486;
      this.#refuse(call, status);
      history.add(record, { outcome: 'missed', seconds: 0, hasVideo: offered, viaPbx: viaRegistrar });
      return;
    }
    if (!judged.fits) {
      // RFC 3261 section 13.3.1.3. A caller with another offer tries again at once, and should ring only then.
      this.#refuse(call, 488);
      history.add(record, { outcome: 'failed', seconds: 0, hasVideo: false, viaPbx: viaRegistrar });
      return;
    }
    this.#failure.clear();
    const session: IncomingSession = new IncomingSession(
      this.#context,
      this.#holder(() => session),
      'incoming',
      micMuted,
    );
    this.#current = { record, session, door, offersVideo: offered, wasIgnored: false };
    const payload = { callId: record.id, callerName: name, isBroadcast, hasVideo: hasVideo(this.#current) };
    this.#options.emit({ event: 'incomingCall', payload });
    if (answersItself) session.answerByItself(call, isBroadcast);
    else session.ring(call, offered);
  }

  /** Answers the ringing call; resolves when it is connected or over. */
  async answer(): Promise<void> {
    await this.#ringing()?.answer();
  }

  reject(): void {
    this.#ringing()?.reject();
  }

  ignore(): void {
    const session = this.#ringing();
    if (session === undefined || this.#current === undefined) return;
    this.#current.wasIgnored = true;
    session.ignore();
  }

  hangup(): void {
    this.#current?.session.hangup();
    this.#announcement.hangup();
    this.#failure.hide();
  }

  /** Makes an announcement to all panels that are present now. */
  pageAll(): void {
    if (this.#isBusy()) return;
    this.#failure.clear();
    const { intercom, preferences } = this.#options;
    this.#announcement.start(intercom.panels.list(), preferences.values.micMuted);
  }

  hangupPageAll(): void {
    this.#announcement.hangup();
  }

  setMicMuted(micMuted: boolean): void {
    this.#options.preferences.change({ micMuted });
    this.#current?.session.setMuted(micMuted);
    this.#announcement.setMuted(micMuted);
  }

  setVolume(callVolume: number): void {
    this.#options.preferences.change({ callVolume });
    this.#sound.applyVolume();
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.#failure.attempt('The keys could not be sent', async () => {
      await this.#current?.session.sendDtmf(digits, KEY_GAP_MS);
    });
  }

  /** Opens a door; without a name the door that calls, or the only one. A failure becomes the `problem`. */
  async openDoor(name: string | undefined): Promise<void> {
    const { doors, intercom } = this.#options;
    await this.#failure.attempt('The door could not be opened', async () => {
      await openDoor(name, { call: this.#current, doors, relay: intercom.relay });
      this.#failure.problem = null;
    });
  }

  /** The intercom page is back: sends it the tone and the loudness again. */
  pageCameBack(): void {
    this.#sound.pageCameBack();
  }

  /** Applies the preferences that were stored before this start. */
  open(): void {
    this.#sound.applyVolume();
  }

  /** Ends everything; no call is accepted afterwards. */
  close(): void {
    this.#isClosed = true;
    this.hangup();
  }

  /** Resolves when the calls have released everything. */
  async released(): Promise<void> {
    await this.#background.done();
  }

  #words(): SipStatus['callStatus'] {
    if (this.#announcement.words !== undefined) return this.#announcement.words;
    if (this.#current === undefined) return this.#failure.isShown ? 'failed' : 'idle';
    const { session, record } = this.#current;
    return statusWords(session.phase, record, remote(session));
  }

  #isBusy(): boolean {
    return this.#current !== undefined || this.#announcement.id !== undefined;
  }

  #refuse(call: IncomingCall, status: 480 | 486 | 488): void {
    const { log } = this.#options;
    call
      .reject(status)
      .catch((error: unknown) => log.warn({ err: error }, 'intercom: could not refuse a caller'));
  }

  /** Whether a caller's offer can be answered, and whether its picture can be shown. */
  #judge(call: IncomingCall): { readonly fits: boolean; readonly hasVideo: boolean } {
    const { offer, peer, viaRegistrar } = call;
    if (offer === undefined) return { fits: true, hasVideo: false };
    const takesKeys = this.#context.takesKeys(peer.host, viaRegistrar);
    try {
      const { media } = this.#options.intercom;
      return { fits: true, ...media.judge(offer, { secure: peer.secure, takesKeys, from: partyOf(call) }) };
    } catch (error) {
      this.#options.log.warn({ err: error, address: peer.host }, 'intercom: an offer cannot be taken');
      return { fits: false, hasVideo: false };
    }
  }

  #ringing(): IncomingSession | undefined {
    const session = this.#current?.session;
    return session instanceof IncomingSession && session.phase === 'incoming' ? session : undefined;
  }

  #holder(session: () => CallSession): SessionObserver {
    return {
      connected: () => this.#connected(session()),
      pressed: (digit) => this.#options.emit({ event: 'dtmfReceived', payload: { digit } }),
      over: (outcome) => this.#over(session(), outcome),
    };
  }

  #connected(session: CallSession): void {
    const current = this.#current;
    if (current?.session !== session) return;
    const { id: callId, direction } = current.record;
    const payload = { callId, direction, hasVideo: hasVideo(current), ...remote(session) };
    this.#options.emit({ event: 'callConnected', payload });
  }

  #over(session: CallSession, outcome: CallOutcome): void {
    this.#inBackground(session.released());
    const current = this.#current;
    if (current?.session !== session) return;
    const { record, wasIgnored } = current;
    this.#options.history.add(record, historyFacts(current, outcome));
    this.#current = undefined;
    if (current.door?.preview !== undefined) this.#inBackground(this.#options.intercom.preview.close());
    if (outcome.kind === 'failed') {
      this.#fail(outcome);
      return;
    }
    void this.#sound.play('none');
    if (wasIgnored) return;
    this.#options.emit({ event: 'callEnded', payload: { callId: record.id, reason: outcome.reason } });
  }

  #fail(failed: Extract<CallOutcome, { kind: 'failed' }>): void {
    this.#failure.show(failed);
    this.#options.emit({ event: 'callFailed', payload: { reason: failed.reason, busy: failed.busy } });
  }

  #inBackground(work: Promise<unknown>): void {
    const failed = (error: unknown) =>
      this.#options.log.warn({ err: error }, 'intercom: background work of a call failed');
    void this.#background.add(work.catch(failed));
  }
}
