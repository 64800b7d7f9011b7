import type { Clock } from '../../platform/clock.ts';
import type { ClockPoint } from '../../webrtc/rtp/rtcp.ts';
import type { IncomingVideo, OutgoingVideo } from './callVideo.ts';
import type { IncomingAudio } from './incomingAudio.ts';
import type { OutgoingAudio } from './outgoingAudio.ts';
import type { PagePeer } from './page/pagePeer.ts';
import type { RtpStream } from './rtp/rtpStream.ts';

/** Ticks between two reports to the remote party (RFC 3550 section 6.2). */
const REPORT_TICKS = 5;

interface ReportOptions {
  readonly streams: { readonly audio: RtpStream; readonly video: RtpStream | undefined };
  readonly fromRemote: { readonly audio: IncomingAudio; readonly video: IncomingVideo };
  readonly toRemote: { readonly audio: OutgoingAudio; readonly video: OutgoingVideo | undefined };
  readonly peer: () => PagePeer | undefined;
}

/** RTCP reports of one call, to the remote party and to the intercom page. They synchronise lips and voice. */
export class CallReports {
  readonly #options: ReportOptions;
  #ticks = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Call it every second. @param agreed the negotiated terms; undefined before the negotiation. */
  tick(agreed: { readonly hasVideo: boolean } | undefined): void {
    this.#reportToPage(agreed?.hasVideo ?? false);
    this.#ticks++;
    if (agreed === undefined || this.#ticks % REPORT_TICKS !== 0) return;
    const { streams, toRemote } = this.#options;
    streams.audio.report(toRemote.audio.point);
    if (agreed.hasVideo) streams.video?.report(toRemote.video?.point);
  }

  /**
   * The remote party's own clock if it reports it for both tracks, else the time of arrival. Mixing the two would break
   * lip-sync.
   */
  #reportToPage(hasVideo: boolean): void {
    const peer = this.#options.peer();
    if (peer?.isReady !== true) return;
    peer.report();
    const { fromRemote } = this.#options;
    const audio = fromRemote.audio.points;
    const video = fromRemote.video.points;
    const usesTheirs = audio.theirs !== undefined && (!hasVideo || video.theirs !== undefined);
    const pick = ({ theirs, ours }: typeof audio): ClockPoint | undefined => (usesTheirs ? theirs : ours);
    const [audioPoint, videoPoint] = [pick(audio), pick(video)];
    if (audioPoint !== undefined) peer.sendSenderReport('audio', audioPoint);
    if (videoPoint !== undefined) peer.sendSenderReport('video', videoPoint);
  }
}

/** Milliseconds without any sign of life after which it is doubtful whether a remote party is still there. */
const SILENT_MS = 30_000;

/**
 * Detects a remote party that may be gone without a BYE. Sound, video, reports (RTCP) and messages are signs of life:
 * many doors send no sound while it is quiet. A remote party that holds the call need not send anything.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #onSilent: () => void;
  #owesSound = false;
  #aliveAt = 0;

  /** @param onSilent called again after each further SILENT_MS */
  constructor(clock: Clock, onSilent: () => void) {
    this.#clock = clock;
    this.#onSilent = onSilent;
  }

  /** Sets whether sound of the remote party is expected from now on. */
  expect(owesSound: boolean): void {
    if (owesSound && !this.#owesSound) this.noteLife();
    this.#owesSound = owesSound;
  }

  /** A sign of life has arrived. */
  noteLife(): void {
    this.#aliveAt = this.#clock.now();
  }

  /** Call it every second. */
  tick(): void {
    if (!this.#owesSound || this.#clock.now() - this.#aliveAt < SILENT_MS) return;
    this.noteLife();
    this.#onSilent();
  }
}
