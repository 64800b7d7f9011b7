import { randomUUID } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import type { HistoryEntry, SipEvent, SipStatus } from '../../contract/sip.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import { BackgroundWork } from './backgroundWork.ts';
import type { CallHistory } from './callHistory.ts';
import { type CallRecord, historyOutcome, statusWords } from './callRecord.ts';
import type { CallHolder, CallOutcome, CallSession, CallWorld } from './callSession.ts';
import { type CurrentCall, farEnd, hasVideo, identify } from './currentCall.ts';
import { openDoor } from './doorOpening.ts';
import type { Doors } from './doors.ts';
import type { CallTarget, IncomingCall } from './driver.ts';
import { IncomingSession, offersVideo } from './incomingSession.ts';
import { OutgoingSession } from './outgoingSession.ts';
import { Paging } from './paging.ts';
import { PanelSound } from './panelSound.ts';
import type { Preferences } from './preferences.ts';
import type { Intercom } from './service.ts';

interface DeskOptions {
  readonly intercom: Intercom;
  readonly autoAnswer: boolean;
  readonly doors: Doors;
  readonly preferences: Preferences;
  readonly history: CallHistory;
  readonly clock: Clock;
  readonly log: Logger;
  emit(event: SipEvent): void;
}

/** Milliseconds that a call that failed is shown as such, with the busy tone where the far end is busy. */
export const FAILED_SHOWN_MS = 5_000;
/** Milliseconds between two keys that a person pressed. */
const KEY_GAP_MS = 100;

/** One call at a time, or one page; who comes second is told that we are busy. */
export class CallDesk {
  /** Whether calls of listed peers are answered without a touch. */
  autoAnswer: boolean;
  /** Why the last thing failed, for a person. */
  problem: string | null = null;
  readonly #options: DeskOptions;
  readonly #world: CallWorld;
  readonly #sound: PanelSound;
  readonly #background: BackgroundWork;
  #current: CurrentCall | undefined;
  #paging: Paging | undefined;
  #failure: { readonly busy: boolean } | undefined;
  #cancelFailure: () => void = () => {};
  #isClosed = false;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.autoAnswer = options.autoAnswer;
    const { clock, log, intercom, preferences } = options;
    this.#sound = new PanelSound(intercom.page, () => preferences.values.callVolume, log);
    this.#background = new BackgroundWork(log);
    this.#world = {
      clock,
      log,
      openMedia: (media) => intercom.media.open(media),
      play: (tone) => this.#sound.play(tone),
    };
  }

  /** What is going on, for the status. */
  state(): Pick<
    SipStatus,
    | 'callStatus'
    | 'calleeBusy'
    | 'callHasVideo'
    | 'activeCallId'
    | 'incomingCallerName'
    | 'incomingIsBroadcast'
    | 'pagingActiveCount'
  > {
    const current = this.#current;
    const isIncoming = current?.record.direction === 'incoming';
    return {
      callStatus: this.#words(),
      calleeBusy: this.#failure?.busy ?? false,
      callHasVideo: current !== undefined && hasVideo(current),
      activeCallId: current?.record.id ?? this.#paging?.id ?? null,
      incomingCallerName: isIncoming ? current.record.name : '',
      incomingIsBroadcast: isIncoming && current.record.isBroadcast,
      pagingActiveCount: this.#paging?.active ?? 0,
    };
  }

  /** Places a call; does nothing while there is another, or a page. */
  call(target: CallTarget): void {
    if (this.#isBusy()) return;
    this.#begin();
    const { intercom, doors, preferences } = this.#options;
    const isExtension = target.kind === 'extension';
    const peerHost = intercom.signalling.hostOf(target);
    if (peerHost === undefined) {
      const sentence =
        'Nobody is known to reach this extension: set sip.registrar, and check that its name resolves.';
      this.#fail({ kind: 'failed', reason: 'unreachable', busy: false, sentence });
      return;
    }
    const address = isExtension ? target.extension : target.host;
    const door = isExtension ? doors.ofExtension(address) : doors.ofAddress(address);
    const record = this.#record('outgoing', {
      name: door?.name ?? intercom.panels.nameOf(address) ?? address,
      address,
    });
    const session: OutgoingSession = new OutgoingSession(
      this.#world,
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
        peerHost,
      },
    });
  }

  /** A call comes in. Signalling has asked the policy already. */
  incoming(call: IncomingCall): void {
    const { intercom, doors } = this.#options;
    const { peer, viaRegistrar } = call;
    const { door, name, address } = identify(call, { ...intercom, doors });
    const isListed = intercom.policy.isListed(peer.host);
    const isBroadcast = call.pageId !== undefined && (isListed || intercom.policy.isPanel(peer.host));
    const answersItself = isBroadcast || (this.autoAnswer && isListed);
    const record = this.#record('incoming', { name, address, isBroadcast });
    const offered = !answersItself && offersVideo(call.offer ?? '');
    const { doNotDisturb, micMuted } = this.#options.preferences.values;
    if (doNotDisturb || this.#isBusy() || this.#isClosed) {
      // RFC 3261 section 21.4.18: 480 also for a callee who does not want to be disturbed.
      this.#refuse(call, doNotDisturb && !this.#isBusy() ? 480 : 486);
      this.#note(record, { outcome: 'missed', seconds: 0, hasVideo: offered, viaPbx: viaRegistrar });
      return;
    }
    this.#begin();
    const session: IncomingSession = new IncomingSession(
      this.#world,
      this.#holder(() => session),
      'incoming',
      micMuted,
    );
    this.#current = { record, session, door, offersVideo: offered, wasIgnored: false };
    const payload = { callId: record.id, callerName: name, isBroadcast, hasVideo: hasVideo(this.#current) };
    this.#options.emit({ event: 'incomingCall', payload });
    if (answersItself) session.answerByItself(call, isBroadcast);
    else session.ring(call);
  }

  /** Answers the call that rings; resolves when it is connected, or over. */
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
    this.#paging?.hangup();
    this.#clearFailure();
  }

  /** Speaks to all panels that are there now. */
  pageAll(): void {
    if (this.#isBusy()) return;
    this.#begin();
    const { intercom, preferences } = this.#options;
    const record = this.#record('outgoing', { name: '', address: '', isBroadcast: true });
    const startedAt = this.#options.clock.now();
    const paging: Paging = new Paging({
      id: record.id,
      world: this.#world,
      media: intercom.media,
      signalling: intercom.signalling,
      muted: preferences.values.micMuted,
      onActive: (activeCount) =>
        this.#options.emit({ event: 'pagingStatusChanged', payload: { activeCount } }),
      onOver: (heard) => {
        if (this.#paging !== paging) return;
        this.#paging = undefined;
        this.#background.keep(paging.released());
        const seconds = heard ? Math.round((this.#options.clock.now() - startedAt) / 1000) : 0;
        this.#note(record, {
          outcome: heard ? 'answered' : 'failed',
          seconds,
          hasVideo: false,
          viaPbx: false,
        });
        if (!heard) {
          this.problem = 'No other panel took the page.';
          this.#options.emit({ event: 'pagingStatusChanged', payload: { activeCount: 0 } });
        }
      },
    });
    this.#paging = paging;
    paging.start(intercom.panels.list());
  }

  hangupPageAll(): void {
    this.#paging?.hangup();
  }

  setMicMuted(micMuted: boolean): void {
    this.#options.preferences.change({ micMuted });
    this.#current?.session.setMuted(micMuted);
    this.#paging?.setMuted(micMuted);
  }

  setVolume(callVolume: number): void {
    this.#options.preferences.change({ callVolume });
    this.#sound.applyVolume();
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.#try('The keys could not be sent', async () => {
      await this.#current?.session.sendDtmf(digits, KEY_GAP_MS);
    });
  }

  /** Opens a door; without a name the one that calls, or the only one. What fails is the `problem`. */
  async openDoor(name: string | undefined): Promise<void> {
    const { doors, intercom } = this.#options;
    const current = this.#current;
    const door = name === undefined ? (current?.door ?? doors.only) : doors.named(name);
    const inCall = current !== undefined && current.door === door ? current.session : undefined;
    await this.#try('The door could not be opened', async () => {
      await openDoor(door, inCall, intercom.relay);
      this.problem = null;
    });
  }

  /** A picture of the call for the project page. @throws FaceplateError NOT_FOUND */
  async showVideo(target: 'remote' | 'local', sdp: string): Promise<string> {
    const current = this.#current;
    const media = current?.session.media;
    if (media?.hasVideo) return media.showVideo(target, sdp);
    const url = current?.door?.preview;
    if (target === 'remote' && url !== undefined) return this.#options.intercom.preview.open(url, sdp);
    throw new FaceplateError('NOT_FOUND', 'There is no picture of a call to show now.');
  }

  /** The intercom page is there again: what it knew is told anew. */
  pageCameBack(): void {
    this.#sound.pageCameBack();
  }

  /** Applies what was set before the last start. */
  open(): void {
    this.#sound.applyVolume();
  }

  /** Ends everything; nobody is let in afterwards. */
  close(): void {
    this.#isClosed = true;
    this.hangup();
  }

  /** Resolves when everything that calls held is released. */
  async released(): Promise<void> {
    await this.#background.done();
  }

  #words(): SipStatus['callStatus'] {
    if (this.#paging !== undefined) {
      return this.#paging.active === 0 ? 'paging...' : `paging (${this.#paging.active} active)`;
    }
    if (this.#current === undefined) return this.#failure === undefined ? 'idle' : 'failed';
    const { session, record } = this.#current;
    return statusWords(session.phase, record, farEnd(session));
  }

  #isBusy(): boolean {
    return this.#current !== undefined || this.#paging !== undefined;
  }

  #ringing(): IncomingSession | undefined {
    const session = this.#current?.session;
    return session instanceof IncomingSession && session.phase === 'incoming' ? session : undefined;
  }

  /** Something new begins: what failed before is no longer shown. */
  #begin(): void {
    this.#clearFailure();
    this.problem = null;
  }

  #record(
    direction: CallRecord['direction'],
    facts: { name: string; address: string; isBroadcast?: boolean },
  ): CallRecord {
    return { isBroadcast: false, ...facts, id: randomUUID(), direction, startedAt: new Date().toISOString() };
  }

  #holder(session: () => CallSession): CallHolder {
    return {
      changed: () => undefined,
      connected: () => this.#connected(session()),
      over: (outcome) => this.#over(session(), outcome),
    };
  }

  #connected(session: CallSession): void {
    const current = this.#current;
    if (current?.session !== session) return;
    const { id: callId, direction } = current.record;
    const payload = { callId, direction, hasVideo: hasVideo(current), ...farEnd(session) };
    this.#options.emit({ event: 'callConnected', payload });
  }

  #over(session: CallSession, outcome: CallOutcome): void {
    this.#background.keep(session.released());
    const current = this.#current;
    if (current?.session !== session) return;
    const { record, wasIgnored } = current;
    const { wasConnected, seconds } = session;
    this.#note(record, {
      outcome: historyOutcome(record, outcome, { wasConnected, wasIgnored }),
      seconds,
      hasVideo: current.offersVideo || current.door?.preview !== undefined,
      viaPbx: farEnd(session).viaPbx,
    });
    this.#current = undefined;
    if (current.door?.preview !== undefined) this.#background.keep(this.#options.intercom.preview.close());
    if (outcome.kind === 'failed') {
      this.#fail(outcome);
      return;
    }
    void this.#sound.play('none');
    if (wasIgnored) return;
    this.#options.emit({ event: 'callEnded', payload: { callId: record.id, reason: outcome.reason } });
  }

  #fail({ reason, busy, sentence }: Extract<CallOutcome, { kind: 'failed' }>): void {
    this.problem = sentence;
    this.#failure = { busy };
    void this.#sound.play(busy ? 'busy' : 'none');
    this.#cancelFailure = this.#options.clock.after(FAILED_SHOWN_MS, () => this.#clearFailure());
    this.#options.emit({ event: 'callFailed', payload: { reason, busy } });
  }

  #clearFailure(): void {
    this.#cancelFailure();
    if (this.#failure?.busy && this.#current === undefined) void this.#sound.play('none');
    this.#failure = undefined;
  }

  #refuse(call: IncomingCall, status: 480 | 486): void {
    call
      .reject(status)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'a caller was not refused'));
  }

  #note(record: CallRecord, facts: Pick<HistoryEntry, 'outcome' | 'seconds' | 'hasVideo' | 'viaPbx'>): void {
    const { id: callId, ...rest } = record;
    this.#options.history.add({ callId, ...rest, ...facts });
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn({ err: error }, what);
      this.problem = error instanceof FaceplateError ? `${what}: ${error.message}` : `${what}.`;
    }
  }
}
