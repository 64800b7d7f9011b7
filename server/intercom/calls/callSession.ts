import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallEnd, CallMedia, MediaOptions, MediaParty, SignalledCall, Tone } from '../ports.ts';
import type { SipEventPayload } from '../sipContract.ts';

/** What a call needs from the panel. */
export interface SessionContext {
  readonly clock: Clock;
  readonly log: Logger;
  openMedia(options: MediaOptions): Promise<CallMedia>;
  /** Whether to accept keys in the description of a remote party without TLS. */
  takesKeys(host: string, viaRegistrar: boolean): boolean;
  /** Plays a tone, or `none`. False: the panel cannot play it now. Never rejects. */
  play(tone: Tone): Promise<boolean>;
}

/** How a call ended. */
export type CallOutcome =
  | {
      readonly kind: 'ended';
      readonly reason: SipEventPayload<'callEnded'>['reason'];
      /** Another panel or phone answered the call. */
      readonly answeredElsewhere?: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly reason: SipEventPayload<'callFailed'>['reason'];
      readonly busy: boolean;
      /** A sentence for a person. */
      readonly sentence: string;
    };

/** Observer of a call: called once when it is connected, for each key, and once when it ends. */
export interface SessionObserver {
  connected(): void;
  /** The remote party has pressed a key. */
  pressed?(digit: string): void;
  over(outcome: CallOutcome): void;
}

export type CallPhase = 'calling' | 'ringing' | 'incoming' | 'connected' | 'over';

/** Thrown inside the steps of a call that is over; never leaves the call. */
class CallOver extends Error {}

/** Asks a remote party without RTCP feedback for a key frame (RFC 5168 section 4). */
const MEDIA_CONTROL = 'application/media_control+xml';
const KEY_FRAME_WANTED =
  '<?xml version="1.0" encoding="utf-8"?><media_control><vc_primitive><to_encoder><picture_fast_update/>' +
  '</to_encoder></vc_primitive></media_control>\r\n';

/** A text of digits may come in one message. */
const MAX_DIGITS_PER_SECOND = 32;

/** Milliseconds of one key in an INFO message, and between two keys. */
const INFO_KEY_MS = 160;

/** One call, from its first message until it has released everything. Common to both directions. */
export abstract class CallSession {
  protected readonly context: SessionContext;
  readonly #holder: SessionObserver;
  #phase: CallPhase;
  #media: CallMedia | undefined;
  #signalled: SignalledCall | undefined;
  #cancelTimer: () => void = () => {};
  #connectedAt: number | undefined;
  #muted: boolean;
  #mediaFrom: string | undefined;
  /** Keys of the remote party in the current second. */
  #digits = { since: Number.NEGATIVE_INFINITY, count: 0 };
  #dtmf: Promise<unknown> = Promise.resolve();
  readonly #releasing: Promise<unknown>[] = [];

  constructor(context: SessionContext, holder: SessionObserver, phase: CallPhase, muted: boolean) {
    this.context = context;
    this.#holder = holder;
    this.#phase = phase;
    this.#muted = muted;
  }

  get phase(): CallPhase {
    return this.#phase;
  }

  get media(): CallMedia | undefined {
    return this.#media;
  }

  get signalled(): SignalledCall | undefined {
    return this.#signalled;
  }

  /** Whole seconds since the answer. */
  get seconds(): number {
    if (this.#connectedAt === undefined) return 0;
    return Math.round((this.context.clock.now() - this.#connectedAt) / 1000);
  }

  /** The address that its media come from, if it is another than described. */
  get mediaFrom(): string | undefined {
    return this.#mediaFrom;
  }

  get wasConnected(): boolean {
    return this.#connectedAt !== undefined;
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    this.#media?.setMicMuted(muted);
  }

  /** Hangs up from our side, in any state. */
  hangup(): void {
    const call = this.#signalled;
    this.end({ kind: 'ended', reason: 'local' }, () => call?.hangup());
  }

  /**
   * Sends keys within the call, one request after the other: in the audio stream, or by INFO (application/dtmf-relay)
   * if the remote party takes no telephone events. False: the call ended before the last key.
   */
  sendDtmf(digits: string, gapMs: number): Promise<boolean> {
    const sending = this.#dtmf.then(async () => {
      const media = this.#media;
      if (this.#phase !== 'connected' || media === undefined) return false;
      if (await media.sendDtmf(digits, gapMs)) return !this.isOver();
      for (const digit of digits.toUpperCase()) {
        if (this.isOver()) return false;
        const body = `Signal=${digit}\r\nDuration=${INFO_KEY_MS}\r\n`;
        await this.#signalled?.sendInfo('application/dtmf-relay', body);
        await new Promise<void>((resolve) => this.context.clock.after(INFO_KEY_MS + gapMs, resolve));
      }
      return true;
    });
    this.#dtmf = sending.catch(() => undefined);
    return sending;
  }

  /** Resolves when the call has released everything. */
  async released(): Promise<void> {
    await Promise.all(this.#releasing);
  }

  protected isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Connects to the call's signalling; from here on its end is noticed. */
  protected attach(call: SignalledCall): void {
    this.#signalled = call;
    call.onEnd = (end) => this.end(outcomeOf(end, this.wasConnected));
    call.onOffer = async (sdp) => {
      const media = this.#media;
      if (media === undefined || this.isOver()) throw new FaceplateError('CONFLICT');
      // A new offer while it rings (UPDATE) must not answer the call.
      return media.answer(sdp, { early: this.#phase !== 'connected', from: partyOf(call) });
    };
    call.onLife = () => this.#media?.noteLife();
    call.onInfo = (contentType, body) => {
      const digits = digitsOfInfo(contentType, body);
      for (const digit of digits ?? '') this.#onDigit(digit);
      if (contentType !== MEDIA_CONTROL) return digits !== undefined;
      if (body.includes('picture_fast_update')) this.#media?.sendKeyFrame();
      return true;
    };
  }

  /** Runs steps of the call. A step that fails ends the call; once it is over, the remaining steps are skipped. */
  protected async run(
    steps: () => Promise<void>,
    giveUp?: () => Promise<unknown> | undefined,
  ): Promise<void> {
    try {
      await steps();
    } catch (error) {
      if (this.isOver()) return;
      this.context.log.warn({ err: error }, 'intercom: could not set up a call');
      const why = error instanceof FaceplateError ? ` ${error.message}` : '';
      const sentence = `Sound and picture of the call could not be set up.${why}`;
      const call = this.#signalled;
      this.end({ kind: 'failed', reason: 'media', busy: false, sentence }, giveUp ?? (() => call?.hangup()));
    }
  }

  /** The result of a step, unless the call has ended in between. */
  protected async step<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    if (this.isOver()) throw new CallOver();
    return result;
  }

  protected async openMedia(options: MediaOptions): Promise<CallMedia> {
    const media = await this.context.openMedia(options);
    if (this.isOver()) {
      this.#release(media.stop());
      throw new CallOver();
    }
    this.#media = media;
    media.setMicMuted(this.#muted);
    media.onKeyFrameNeeded = () => {
      const asked = this.#signalled?.sendInfo(MEDIA_CONTROL, KEY_FRAME_WANTED);
      asked?.catch((error: unknown) =>
        this.context.log.debug({ err: error }, 'intercom: could not request a key frame'),
      );
    };
    media.onElsewhere = (address) => {
      this.#mediaFrom = address;
      this.context.log.info(
        { address },
        'intercom: the media of a call come from an address it did not name',
      );
    };
    media.onDtmf = (digit) => this.#onDigit(digit);
    media.onSilent = () => void this.#askWhetherThere();
    return media;
  }

  /** Faster than anybody presses keys, the remote party floods the panel. */
  #onDigit(digit: string): void {
    const now = this.context.clock.now();
    if (now - this.#digits.since >= 1_000) this.#digits = { since: now, count: 0 };
    if (this.#phase === 'connected' && ++this.#digits.count <= MAX_DIGITS_PER_SECOND)
      this.#holder.pressed?.(digit);
  }

  /** A door may send nothing at all while it is quiet: only one that does not answer either is gone. */
  async #askWhetherThere(): Promise<void> {
    const call = this.#signalled;
    if ((await call?.isThere()) === true) return;
    this.end({ kind: 'ended', reason: 'timeout' }, () => call?.hangup());
  }

  /**
   * Plays a tone, or `none`. A call that is over plays nothing: it may end between two steps, and a tone started then
   * would never stop. False: the panel cannot play it now.
   */
  protected async play(tone: Tone): Promise<boolean> {
    return this.isOver() ? false : this.context.play(tone);
  }

  /** Releases media that cannot be used, so that others can be opened. */
  protected dropMedia(): void {
    if (this.#media !== undefined) this.#release(this.#media.stop());
    this.#media = undefined;
  }

  protected enter(phase: CallPhase): void {
    if (this.isOver() || this.#phase === phase) return;
    this.#phase = phase;
    if (phase !== 'connected') return;
    this.#cancelTimer();
    this.#connectedAt = this.context.clock.now();
    this.#holder.connected();
  }

  /** Replaces the call's one timer. */
  protected after(milliseconds: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.context.clock.after(milliseconds, run);
  }

  /** Ends the call, once; `tell` informs the remote party. */
  protected end(outcome: CallOutcome, tell?: () => Promise<unknown> | undefined): void {
    if (this.isOver()) return;
    this.#phase = 'over';
    this.#cancelTimer();
    // Not awaited: a remote party that is gone may take long to time out, and signalling ends the call when it stops.
    tell?.()?.catch((error: unknown) =>
      this.context.log.warn({ err: error }, 'intercom: could not tell the remote party that the call ended'),
    );
    this.dropMedia();
    this.#holder.over(outcome);
  }

  #release(work: Promise<unknown>): void {
    this.#releasing.push(
      work.catch((error: unknown) =>
        this.context.log.warn({ err: error }, 'intercom: could not release a call cleanly'),
      ),
    );
  }
}

/** `Signal= 5`, `Signal="*"`, or the digit alone. */
const SIGNAL = /^[ \t]*(?:signal[ \t]*=[ \t]*)?"?([0-9*#A-D]{1,32})"?[ \t]*\r?$/im;
/** A body that names a digit is short. */
const MAX_INFO_CHARS = 256;

/**
 * The digits of an INFO message, in the spellings of devices: application/dtmf-relay with `Signal=5` and with blanks, in
 * other cases and without a last line end; application/dtmf and audio/telephone-event with the digit alone; event codes
 * of RFC 4733 for the keys beside the figures (`Signal=11` is #).
 * @returns undefined for another type of body, and for one without digits
 */
function digitsOfInfo(contentType: string, body: string): string | undefined {
  if (!/^(?:application\/dtmf(?:[-_]relay)?|audio\/telephone-event)$/i.test(contentType)) return undefined;
  const signal = SIGNAL.exec(body.slice(0, MAX_INFO_CHARS))?.[1]?.toUpperCase();
  return signal !== undefined && /^1[0-5]$/.test(signal) ? '*#ABCD'[Number(signal) - 10] : signal;
}

/**
 * Who sent the descriptions of a call: a PBX, and a panel that proved itself, may have their media at another address.
 */
export function partyOf({ peer, viaRegistrar, isProven }: SignalledCall): MediaParty {
  return { host: peer.host, mayBeElsewhere: viaRegistrar || isProven };
}

/** RFC 3261 section 21: busy here, busy everywhere, decline. */
const BUSY = [486, 600, 603];

function outcomeOf(end: CallEnd, wasConnected: boolean): CallOutcome {
  switch (end.cause) {
    case 'bye':
      return { kind: 'ended', reason: 'remote_bye' };
    case 'cancel':
      return { kind: 'ended', reason: 'remote', answeredElsewhere: end.answeredElsewhere };
    case 'timeout':
      return wasConnected
        ? { kind: 'ended', reason: 'timeout' }
        : { kind: 'failed', reason: 'timeout', busy: false, sentence: 'Nobody answered.' };
    case 'unreachable':
      return {
        kind: 'failed',
        reason: 'unreachable',
        busy: false,
        sentence:
          end.problem === undefined
            ? 'The remote party gave no sign of life. Check its address, and that it is switched on.'
            : `The remote party cannot be reached: ${end.problem}.`,
      };
    case 'refused': {
      if (BUSY.includes(end.status))
        return { kind: 'failed', reason: 'busy', busy: true, sentence: 'The remote party is busy.' };
      const sentence = `The remote party refused the call: ${end.status} ${end.reason}`.trim();
      return { kind: 'failed', reason: 'refused', busy: false, sentence: `${sentence}.` };
    }
  }
}
