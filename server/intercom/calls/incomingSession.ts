import type { IncomingCall, MediaOptions } from '../ports.ts';
import { CallSession, partyOf } from './callSession.ts';

/** Milliseconds that the panel rings before the call counts as missed. */
export const RING_LIMIT_MS = 120_000;

/** An incoming call. It rings until it is answered, refused or ignored, or until the caller gives up. */
export class IncomingSession extends CallSession {
  #call: IncomingCall | undefined;
  #early: Promise<void> = Promise.resolve();
  #answering: Promise<void> | undefined;
  #isBroadcast = false;

  /**
   * Accepts the call and rings.
   * @param hasVideo its offer has a picture, which is shown before the answer (183, early media)
   */
  ring(call: IncomingCall, hasVideo: boolean): void {
    this.#take(call);
    void this.play('ring');
    this.#early = this.#ringEarly(call, hasVideo);
  }

  /**
   * Answers without a touch, with a tone and without the camera; an announcement is received only. If the tone cannot
   * be played, it rings like any other call.
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

  /** Hanging up a call that still rings refuses it. */
  override hangup(): void {
    if (this.phase === 'incoming' && this.#answering === undefined) {
      this.end({ kind: 'ended', reason: 'local' }, () => this.#call?.reject(486));
    } else super.hangup();
  }

  /** Drops the call here without a message; signalling still answers a later CANCEL. */
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

  async #ringEarly(call: IncomingCall, hasVideo: boolean): Promise<void> {
    let early: string | undefined;
    if (call.offer !== undefined && hasVideo) {
      try {
        const media = await this.openMedia(this.#options({ video: true, direction: 'sendrecv' }));
        early = await this.step(media.answer(call.offer, { early: true, from: partyOf(call) }));
      } catch (error) {
        if (this.isOver()) return;
        this.context.log.warn({ err: error }, 'intercom: could not show the caller before the answer');
        this.dropMedia();
      }
    }
    // Answered in between: the 200 is enough.
    if (this.#answering !== undefined && early === undefined) return;
    await call.ring(early).catch((error: unknown) => {
      this.context.log.warn({ err: error }, 'intercom: could not send the ringing response');
    });
  }

  #accept(call: IncomingCall, options: Pick<MediaOptions, 'video' | 'direction'>): Promise<void> {
    // If the media fail for this call, the caller gets 486 Busy Here.
    const refuse = (): Promise<unknown> => call.reject(488);
    return this.run(async () => {
      if (options.video) await this.#early;
      const media = this.media ?? (await this.openMedia(this.#options(options)));
      const from = partyOf(call);
      const sdp = await this.step(
        call.offer === undefined ? media.offer() : media.answer(call.offer, { from }),
      );
      const answer = await this.step(this.#send200(call, sdp));
      if (call.offer === undefined && answer !== undefined) await this.step(media.accept(answer, { from }));
      this.enter('connected');
    }, refuse);
  }

  /** Sends 200 until the ACK. A call that ends before that reports its own end; otherwise the ACK is missing. */
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
    const takesKeys = this.context.takesKeys(host, this.#call?.viaRegistrar ?? false);
    return { ...options, secure, takesKeys, peerHost: host };
  }
}
