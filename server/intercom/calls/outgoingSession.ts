import { InTurn } from '../../platform/async.ts';
import type { CallHeaders, CallTarget, MediaOptions, OutgoingCall, Signalling } from '../ports.ts';
import { CallSession, partyOf } from './callSession.ts';

/** Milliseconds that a call may ring at the remote party's side. */
const NO_ANSWER_MS = 20_000;

const UNPROVEN = 'It answered without the sip.panelSecret of this house.';

interface CallPlan {
  readonly signalling: Signalling;
  readonly target: CallTarget;
  readonly headers?: CallHeaders;
  readonly media: MediaOptions;
  /** No media go to a remote party that has not proved that it is a panel of this house. */
  readonly mustProve?: boolean;
}

/** An outgoing call. */
export class OutgoingSession extends CallSession {
  /** Starts the call; the observer gets its progress. */
  start(plan: CallPlan): void {
    this.after(NO_ANSWER_MS, () => {
      const call = this.signalled;
      const sentence = `Nobody answered within ${NO_ANSWER_MS / 1000} seconds.`;
      this.end({ kind: 'failed', reason: 'timeout', busy: false, sentence }, () => call?.hangup());
    });
    void this.run(async () => {
      const media = await this.openMedia(plan.media);
      const offer = await this.step(media.offer());
      this.#follow(plan.signalling.call(plan.target, offer, plan.headers), plan.mustProve ?? false);
    });
  }

  #follow(call: OutgoingCall, mustProve: boolean): void {
    this.attach(call);
    // Answers of the remote party are handled one after the other.
    const answers = new InTurn();
    const inTurn = (steps: () => Promise<void>): void => {
      void answers.run(() =>
        this.run(async () => {
          if (!this.isOver() && this.phase !== 'connected') await steps();
        }),
      );
    };
    const accept = async (sdp: string, early: boolean): Promise<void> =>
      this.step(this.media?.accept(sdp, { early, from: partyOf(call) }) ?? Promise.resolve());
    const ring = (): void => {
      if (this.phase === 'calling') void this.play('ringback');
      this.enter('ringing');
    };
    call.onProgress = (status, sdp) => {
      if (this.isOver() || this.phase === 'connected' || status < 180) return;
      if (sdp === undefined || mustProve) {
        ring();
        return;
      }
      inTurn(async () => {
        try {
          await accept(sdp, true);
          // The remote party's own tone, or the visitor's voice, is in its stream.
          void this.play('none');
          this.enter('ringing');
        } catch (error) {
          // Some PBXs describe no sound before the answer (183 with port 0): the final answer counts.
          this.context.log.debug({ err: error }, 'intercom: early sound could not be taken');
          if (!this.isOver()) ring();
        }
      });
    };
    call.onAccepted = (sdp) => {
      if (mustProve && !call.isProven) {
        this.end({ kind: 'failed', reason: 'refused', busy: false, sentence: UNPROVEN }, () => call.hangup());
        return;
      }
      inTurn(async () => {
        await accept(sdp, false);
        void this.play('none');
        this.enter('connected');
      });
    };
  }
}
