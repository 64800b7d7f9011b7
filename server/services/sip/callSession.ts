import { FaceplateError } from '../../contract/errors.ts';
import type { SipEventPayload } from '../../contract/sip.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import type { CallEnd, CallMedia, MediaOptions, SignalledCall, Tone } from './driver.ts';

/** What a call needs of the panel. */
export interface CallWorld {
  readonly clock: Clock;
  readonly log: Logger;
  openMedia(options: MediaOptions): Promise<CallMedia>;
  /** Plays a tone, or `none`. False: the panel cannot be heard now. Never rejects. */
  play(tone: Tone): Promise<boolean>;
}

/** How a call came to its end. */
export type CallOutcome =
  | {
      readonly kind: 'ended';
      readonly reason: SipEventPayload<'callEnded'>['reason'];
      /** Another panel, or phone, took the call. */
      readonly answeredElsewhere?: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly reason: SipEventPayload<'callFailed'>['reason'];
      readonly busy: boolean;
      /** For a person. */
      readonly sentence: string;
    };

/** Who holds a call: told once that it is connected, and once of its end. */
export interface CallHolder {
  connected(): void;
  over(outcome: CallOutcome): void;
}

export type CallPhase = 'calling' | 'ringing' | 'incoming' | 'connected' | 'over';

/** Thrown inside a call's own steps once it is over; never leaves it. */
class CallOver extends Error {}

/** The request for a key frame of far ends that take no RTCP feedback (RFC 5168 section 4). */
const MEDIA_CONTROL = 'application/media_control+xml';
const KEY_FRAME_WANTED =
  '<?xml version="1.0" encoding="utf-8"?><media_control><vc_primitive><to_encoder><picture_fast_update/>' +
  '</to_encoder></vc_primitive></media_control>\r\n';

/** Milliseconds of one key of an INFO message, and between two. */
const INFO_KEY_MS = 160;

/** One call, from its first message until everything it held is released. What both directions have in common. */
export abstract class CallSession {
  protected readonly world: CallWorld;
  readonly #holder: CallHolder;
  #phase: CallPhase;
  #media: CallMedia | undefined;
  #signalled: SignalledCall | undefined;
  #cancelTimer: () => void = () => {};
  #connectedAt: number | undefined;
  #muted: boolean;
  #dtmf: Promise<unknown> = Promise.resolve();
  readonly #releasing: Promise<unknown>[] = [];

  constructor(world: CallWorld, holder: CallHolder, phase: CallPhase, muted: boolean) {
    this.world = world;
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

  /** Whole seconds talked. */
  get seconds(): number {
    if (this.#connectedAt === undefined) return 0;
    return Math.round((this.world.clock.now() - this.#connectedAt) / 1000);
  }

  get wasConnected(): boolean {
    return this.#connectedAt !== undefined;
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    this.#media?.setMicMuted(muted);
  }

  /** Our own hangup, in whatever state. */
  hangup(): void {
    const call = this.#signalled;
    this.end({ kind: 'ended', reason: 'local' }, () => call?.hangup());
  }

  /**
   * Presses keys within the call, one request after the other: in the audio stream, or by INFO (application/dtmf-relay)
   * where the far end takes no telephone events. False: the call was over before the last key.
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
        await new Promise<void>((resolve) => this.world.clock.after(INFO_KEY_MS + gapMs, resolve));
      }
      return true;
    });
    this.#dtmf = sending.catch(() => undefined);
    return sending;
  }

  /** Resolves when everything that the call held is released. */
  async released(): Promise<void> {
    await Promise.all(this.#releasing);
  }

  protected isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Takes hold of the call's signalling; from here on its end is heard. */
  protected attach(call: SignalledCall): void {
    this.#signalled = call;
    call.onEnd = (end) => this.end(outcomeOf(end, this.wasConnected));
    call.onOffer = async (sdp) => {
      const media = this.#media;
      if (media === undefined || this.isOver()) throw new FaceplateError('CONFLICT');
      // A caller that offers anew while it rings (UPDATE) must not have itself answered by that.
      return media.answer(sdp, { early: this.#phase === 'incoming' });
    };
    call.onInfo = (contentType, body) => {
      if (contentType.startsWith(MEDIA_CONTROL) && body.includes('picture_fast_update'))
        this.#media?.sendKeyFrame();
    };
  }

  /** Runs steps of the call. A failing one ends it; once it is over, what is left of them is forgotten. */
  protected async run(
    steps: () => Promise<void>,
    giveUp?: () => Promise<unknown> | undefined,
  ): Promise<void> {
    try {
      await steps();
    } catch (error) {
      if (this.isOver()) return;
      this.world.log.warn({ err: error }, 'a call could not be set up');
      const why = error instanceof FaceplateError ? ` ${error.message}` : '';
      const sentence = `Sound and picture of the call could not be set up.${why}`;
      const call = this.#signalled;
      this.end({ kind: 'failed', reason: 'media', busy: false, sentence }, giveUp ?? (() => call?.hangup()));
    }
  }

  /** The result of a step, unless the call ended meanwhile. */
  protected async step<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    if (this.isOver()) throw new CallOver();
    return result;
  }

  protected async openMedia(options: MediaOptions): Promise<CallMedia> {
    const media = await this.world.openMedia(options);
    if (this.isOver()) {
      this.#release(media.stop());
      throw new CallOver();
    }
    this.#media = media;
    media.setMicMuted(this.#muted);
    media.onKeyFrameNeeded = () => {
      const asked = this.#signalled?.sendInfo(MEDIA_CONTROL, KEY_FRAME_WANTED);
      asked?.catch((error: unknown) => this.world.log.debug({ err: error }, 'no key frame was asked for'));
    };
    media.onSilent = () => {
      const call = this.#signalled;
      this.end({ kind: 'ended', reason: 'timeout' }, () => call?.hangup());
    };
    return media;
  }

  /**
   * Plays a tone, or `none`. A call that is over has nothing more to say: its end may come between a step and what follows,
   * and a tone that begins then would never end. False: the panel cannot be heard now.
   */
  protected async play(tone: Tone): Promise<boolean> {
    return this.isOver() ? false : this.world.play(tone);
  }

  /** Releases media that turned out to be of no use, so that others can be opened. */
  protected dropMedia(): void {
    if (this.#media !== undefined) this.#release(this.#media.stop());
    this.#media = undefined;
  }

  protected enter(phase: CallPhase): void {
    if (this.isOver() || this.#phase === phase) return;
    this.#phase = phase;
    if (phase !== 'connected') return;
    this.#cancelTimer();
    this.#connectedAt = this.world.clock.now();
    this.#holder.connected();
  }

  /** Replaces the call's one timer. */
  protected after(milliseconds: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.world.clock.after(milliseconds, run);
  }

  /** Ends the call once; `tell` says so to the far end. */
  protected end(outcome: CallOutcome, tell?: () => Promise<unknown> | undefined): void {
    if (this.isOver()) return;
    this.#phase = 'over';
    this.#cancelTimer();
    // Not waited for: a far end that is gone may take its time, and signalling ends it on its own stop.
    tell?.()?.catch((error: unknown) => this.world.log.warn({ err: error }, 'the far end was not told'));
    this.dropMedia();
    this.#holder.over(outcome);
  }

  #release(work: Promise<unknown>): void {
    this.#releasing.push(
      work.catch((error: unknown) => this.world.log.warn({ err: error }, 'a call was not released cleanly')),
    );
  }
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
            ? 'The far end gave no sign of life. Check its address, and that it is switched on.'
            : `The far end cannot be reached: ${end.problem}.`,
      };
    case 'refused': {
      if (BUSY.includes(end.status))
        return { kind: 'failed', reason: 'busy', busy: true, sentence: 'The far end is busy.' };
      const sentence = `The far end refused the call: ${end.status} ${end.reason}`.trim();
      return { kind: 'failed', reason: 'refused', busy: false, sentence: `${sentence}.` };
    }
  }
}
