import { CallSession } from './callSession.ts';
import type { IncomingCall, MediaOptions } from './driver.ts';

/** Milliseconds that the panel rings before it takes the caller for a missed one. */
export const RING_LIMIT_MS = 120_000;

/** A call that comes in: it rings until it is answered, refused, ignored, or given up by the caller. */
export class IncomingSession extends CallSession {
  #call: IncomingCall | undefined;
  #early: Promise<void> = Promise.resolve();
  #answering: Promise<void> | undefined;
  #isBroadcast = false;

  /** Takes the call and rings; a caller who sends pictures is seen before anyone answers (183, early media). */
  ring(call: IncomingCall): void {
    this.#take(call);
    void this.play('ring');
    this.#early = this.#ringEarly(call);
  }

  /**
   * Answers without a touch, with a tone and without the camera; a page to all is only listened to. Where the tone cannot
   * be played it rings as any other call.
   */
  answerByItself(call: IncomingCall, isBroadcast: boolean): void {
    this.#take(call);
    this.#isBroadcast = isBroadcast;
    this.#early = this.run(async () => {
      if (await this.step(this.play('auto-answer'))) {
        this.#answering ??= this.#accept(call, {
          video: false,
          direction: isBroadcast ? 'recvonly' : 'sendrecv',
        });
        return;
      }
      void this.play('ring');
      await this.step(call.ring());
    });
  }

  /** Resolves when the call is connected, or over. */
  answer(): Promise<void> {
    const call = this.#call;
    if (call === undefined || this.phase !== 'incoming') return this.#answering ?? Promise.resolve();
    void this.play('none');
    this.#answering ??= this.#accept(call, {
      video: !this.#isBroadcast,
      direction: this.#isBroadcast ? 'recvonly' : 'sendrecv',
    });
    return this.#answering;
  }

  /** 486: busy here. */
  reject(): void {
    this.end({ kind: 'ended', reason: 'rejected' }, () => this.#call?.reject(486));
  }

  /** Our hangup of a call that still rings refuses it. */
  override hangup(): void {
    if (this.phase === 'incoming' && this.#answering === undefined) {
      this.end({ kind: 'ended', reason: 'local' }, () => this.#call?.reject(486));
    } else super.hangup();
  }

  /** Lets go of the call here and says nothing; signalling still answers a later CANCEL. */
  ignore(): void {
    this.end({ kind: 'ended', reason: 'local' });
  }

  #take(call: IncomingCall): void {
    this.#call = call;
    this.attach(call);
    this.after(RING_LIMIT_MS, () => {
      this.end({ kind: 'ended', reason: 'timeout' }, () => call.reject(480));
    });
  }

  async #ringEarly(call: IncomingCall): Promise<void> {
    let early: string | undefined;
    if (call.offer !== undefined && offersVideo(call.offer)) {
      try {
        const media = await this.openMedia(this.#options({ video: true, direction: 'sendrecv' }));
        early = await this.step(media.answer(call.offer, { early: true }));
      } catch (error) {
        if (this.isOver()) return;
        this.world.log.warn({ err: error }, 'a caller could not be shown before the answer');
        this.dropMedia();
      }
    }
    // Answered meanwhile: the 200 says it all.
    if (this.#answering !== undefined && early === undefined) return;
    await call.ring(early).catch((error: unknown) => {
      this.world.log.warn({ err: error }, 'the caller could not be told that it rings');
    });
  }

  #accept(call: IncomingCall, options: Pick<MediaOptions, 'video' | 'direction'>): Promise<void> {
    // A panel whose media fail for this call is busy for it, as far as the caller can be told.
    const refuse = (): Promise<unknown> => call.reject(488);
    return this.run(async () => {
      if (options.video) await this.#early;
      const media = this.media ?? (await this.openMedia(this.#options(options)));
      const sdp = await this.step(call.offer === undefined ? media.offer() : media.answer(call.offer));
      const answer = await this.step(this.#send200(call, sdp));
      if (call.offer === undefined && answer !== undefined) await this.step(media.accept(answer));
      this.enter('connected');
    }, refuse);
  }

  /** 200, until it is acknowledged. A call that ends meanwhile says so itself; else nobody acknowledged. */
  async #send200(call: IncomingCall, sdp: string): Promise<string | undefined> {
    try {
      return await call.accept(sdp);
    } catch (error) {
      await new Promise(setImmediate);
      this.end({ kind: 'ended', reason: 'timeout' }, () => call.hangup());
      throw error;
    }
  }

  #options(options: Pick<MediaOptions, 'video' | 'direction'>): MediaOptions {
    const { secure = false, host = '' } = this.#call?.peer ?? {};
    return { ...options, secure, peerHost: host };
  }
}

/** Whether an offer has a video stream that is not switched off (RFC 3264 section 6: port 0). */
export function offersVideo(sdp: string): boolean {
  return /^m=video [1-9]/m.test(sdp);
}
