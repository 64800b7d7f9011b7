import type { ClockPoint } from '../media/rtp/rtcp.ts';
import type { IncomingAudio } from './incomingAudio.ts';
import type { IncomingVideo } from './incomingVideo.ts';
import type { OutgoingAudio } from './outgoingAudio.ts';
import type { OutgoingVideo } from './outgoingVideo.ts';
import type { PagePeer } from './page/pagePeer.ts';
import type { RtpStream } from './rtp/rtpStream.ts';

/** Reports to the far end (RFC 3550 section 6.2), every so many ticks. */
const REPORT_TICKS = 5;

interface ReportOptions {
  readonly streams: { readonly audio: RtpStream; readonly video: RtpStream | undefined };
  readonly fromFarEnd: { readonly audio: IncomingAudio; readonly video: IncomingVideo };
  readonly toFarEnd: { readonly audio: OutgoingAudio; readonly video: OutgoingVideo | undefined };
  readonly peer: () => PagePeer | undefined;
}

/** RTCP reports of one call, to the far end and to the page: they are what lips and voice are put together by. */
export class CallReports {
  readonly #options: ReportOptions;
  #ticks = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** To be called every second. @param agreed what was agreed on; undefined before. */
  tick(agreed: { readonly hasVideo: boolean } | undefined): void {
    this.#reportToPage(agreed?.hasVideo ?? false);
    this.#ticks++;
    if (agreed === undefined || this.#ticks % REPORT_TICKS !== 0) return;
    const { streams, toFarEnd } = this.#options;
    streams.audio.report(toFarEnd.audio.point);
    if (agreed.hasVideo) streams.video?.report(toFarEnd.video?.point);
  }

  /** The far end's own clock where it tells it for both tracks, else the time of arrival: mixed, lips would not fit. */
  #reportToPage(hasVideo: boolean): void {
    const peer = this.#options.peer();
    if (peer?.isReady !== true) return;
    peer.report();
    const { fromFarEnd } = this.#options;
    const audio = fromFarEnd.audio.points;
    const video = fromFarEnd.video.points;
    const usesTheirs = audio.theirs !== undefined && (!hasVideo || video.theirs !== undefined);
    const pick = ({ theirs, ours }: typeof audio): ClockPoint | undefined => (usesTheirs ? theirs : ours);
    const [audioPoint, videoPoint] = [pick(audio), pick(video)];
    if (audioPoint !== undefined) peer.sendSenderReport('audio', audioPoint);
    if (videoPoint !== undefined) peer.sendSenderReport('video', videoPoint);
  }
}
