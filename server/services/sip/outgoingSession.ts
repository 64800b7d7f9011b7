import { CallSession } from './callSession.ts';
import type { CallHeaders, CallTarget, MediaOptions, OutgoingCall, Signalling } from './driver.ts';

/** Milliseconds that a call may ring at the far end. */
export const NO_ANSWER_MS = 20_000;

interface CallPlan {
  readonly signalling: Signalling;
  readonly target: CallTarget;
  readonly headers?: CallHeaders;
  readonly media: MediaOptions;
}

/** A call that we place. */
export class OutgoingSession extends CallSession {
  /** Begins to call; what becomes of it is told to the holder. */
  start(plan: CallPlan): void {
    this.after(NO_ANSWER_MS, () => {
      const call = this.signalled;
      const sentence = `Nobody answered within ${NO_ANSWER_MS / 1000} seconds.`;
      this.end({ kind: 'failed', reason: 'timeout', busy: false, sentence }, () => call?.hangup());
    });
    void this.run(async () => {
      const media = await this.openMedia(plan.media);
      const offer = await this.step(media.offer());
      this.#follow(plan.signalling.call(plan.target, offer, plan.headers));
    });
  }

  #follow(call: OutgoingCall): void {
    this.attach(call);
    // Answers of the far end are taken in one after the other.
    let before: Promise<void> = Promise.resolve();
    const accept = (sdp: string, then: () => void): void => {
      before = before.then(() =>
        this.run(async () => {
          if (this.isOver() || this.phase === 'connected') return;
          await this.step(this.media?.accept(sdp) ?? Promise.resolve());
          then();
        }),
      );
    };
    call.onProgress = (status, sdp) => {
      if (this.isOver() || this.phase === 'connected' || status < 180) return;
      if (sdp === undefined) {
        if (this.phase === 'calling') void this.play('ringback');
        this.enter('ringing');
      } else {
        // The far end's own tone, or the visitor's voice, is in its stream.
        accept(sdp, () => {
          void this.play('none');
          this.enter('ringing');
        });
      }
    };
    call.onAccepted = (sdp) => {
      accept(sdp, () => {
        void this.play('none');
        this.enter('connected');
      });
    };
  }
}
