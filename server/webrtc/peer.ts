import { buildAnswer } from './answer.ts';
import { WebRtcConnection } from './connection.ts';
import type { DtlsCertificate } from './dtls/dtls.ts';
import type { LoopbackSocket } from './ice/loopbackSocket.ts';
import type { Offer, OfferedFormat } from './offer.ts';
import type { Feedback } from './rtp/rtcp.ts';

/** Packets kept for retransmission: about two seconds of 1080p, as many as a new viewer gets at once. */
const VIDEO_RING = 1024;
/** Audio is not retransmitted; the ring only keeps buffers alive until the socket has sent them. */
const AUDIO_RING = 32;
const MAX_RESENT = 256;
/** A viewer that misses this share of its packets for this time, in milliseconds, cannot keep up. */
const HEAVY_LOSS = 0.25;
const HEAVY_LOSS_MS = 1_000;

interface PeerEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  /** The viewer cannot decode what it has (PLI or FIR). */
  onKeyFrameWanted(): void;
  /** It misses more than can be sent again: pictures up to the next key frame are useless for it. */
  onOverrun(): void;
  /** The viewer ended it or the handshake failed; called at most once, never after `close`. */
  onClosed(reason: string): void;
}

interface PeerOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly offer: Offer;
  readonly video: OfferedFormat;
  readonly audio: OfferedFormat | undefined;
  readonly events: PeerEvents;
}

/** One viewer: answers its offer, resends what it missed, and reports when it cannot keep up. */
export class WebRtcPeer {
  /** Takes the media; a track that is not in the answer is skipped. */
  readonly connection: WebRtcConnection;
  readonly #options: PeerOptions;
  #reportedLost = 0;
  /** Since when every report has shown heavy loss. */
  #heavyLossSince: number | undefined;

  constructor(options: PeerOptions) {
    const { socket, certificate, video, audio, events } = options;
    this.#options = options;
    this.connection = new WebRtcConnection({
      socket,
      certificate,
      maxResent: MAX_RESENT,
      tracks: {
        video: { payloadType: video.payloadType, ringSize: VIDEO_RING },
        audio: audio && { payloadType: audio.payloadType, ringSize: AUDIO_RING },
      },
      events: {
        onReady: () => events.onReady(),
        onFeedback: (feedback) => this.#onFeedback(feedback),
        onClosed: (reason) => events.onClosed(reason),
      },
    });
  }

  /** Attaches to the socket. @returns the SDP answer. */
  open(): string {
    const { offer, video, audio } = this.#options;
    const { place, ssrcs } = this.connection;
    this.connection.accept(offer);
    return buildAnswer(offer, {
      ...place,
      video: { format: video, ssrc: ssrcs.video },
      audio: audio && { format: audio, ssrc: ssrcs.audio },
    });
  }

  /** Packets that the viewer missed, by its own count. */
  get reportedLost(): number {
    return this.#reportedLost;
  }

  #onFeedback(feedback: Feedback): void {
    if (feedback.kind === 'report') this.#onReport(feedback.lost, feedback.lostShare);
    else if (feedback.kind === 'keyFrame') this.#options.events.onKeyFrameWanted();
    else if (feedback.sequences.some((sequence) => this.connection.hasForgotten(sequence)))
      this.#options.events.onOverrun();
    else this.connection.resend(feedback.sequences);
  }

  /** A lost burst is sent again; only lasting loss means that the viewer receives more than it can take. */
  #onReport(lost: number, lostShare: number): void {
    const { heardAt } = this.connection;
    this.#reportedLost = lost;
    if (lostShare < HEAVY_LOSS) {
      this.#heavyLossSince = undefined;
      return;
    }
    this.#heavyLossSince ??= heardAt;
    if (heardAt - this.#heavyLossSince < HEAVY_LOSS_MS) return;
    this.#heavyLossSince = undefined;
    this.#options.events.onOverrun();
  }
}
