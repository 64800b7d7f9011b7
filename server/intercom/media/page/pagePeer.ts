import { WebRtcConnection } from '../../../webrtc/connection.ts';
import type { DtlsCertificate } from '../../../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../../../webrtc/ice/loopbackSocket.ts';
import { splitPayload } from '../../../webrtc/rtp/h264.ts';
import {
  type ClockPoint,
  type Feedback,
  parseSenderReport,
  writeBitrateLimit,
  writePictureLoss,
  writeReception,
} from '../../../webrtc/rtp/rtcp.ts';
import { parseRtpPacket, type RtpPacket } from '../../../webrtc/rtp/rtpPacket.ts';
import type { TrackKind } from '../../../webrtc/srtp/srtpSender.ts';
import { type PageLine, parsePageAnswer, writePageOffer } from './pageSdp.ts';

/** Packets stored for retransmission; a power of two. */
const VIDEO_RING = 512;
const AUDIO_RING = 32;
const MAX_RESENT = 128;

/** The media of one line of the page; the peer adds the rest of PageLine. */
export type PageFormat = Omit<PageLine, 'ssrc'>;

export interface PagePeerEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  onAudio(packet: RtpPacket): void;
  onVideo(packet: RtpPacket): void;
  /** The page cannot decode what it has (PLI or FIR). */
  onKeyFrameWanted(): void;
}

interface PagePeerOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly audio: PageFormat;
  readonly video: PageFormat | undefined;
  /** Most video in bit/s that the page may send. */
  readonly bitrate: number;
  readonly events: PagePeerEvents;
}

/** Statistics of one stream from the page, for the receiver reports. */
interface Heard {
  highestSequence: number;
  lastReport: number;
  reportedAt: number;
}

/**
 * Our end of the connection with the intercom page; it sends and receives. We make the offer, because only we know the
 * one codec of the remote party.
 */
export class PagePeer {
  readonly #options: PagePeerOptions;
  readonly #connection: WebRtcConnection;
  readonly #heard: Partial<Record<TrackKind, Heard & { ssrc: number }>> = {};
  #version = 0;

  constructor(options: PagePeerOptions) {
    const { socket, certificate, audio, video, events } = options;
    this.#options = options;
    this.#connection = new WebRtcConnection({
      socket,
      certificate,
      maxResent: MAX_RESENT,
      tracks: {
        audio: { payloadType: audio.payloadType, ringSize: AUDIO_RING },
        video: video && { payloadType: video.payloadType, ringSize: VIDEO_RING },
      },
      events: {
        onReady: () => events.onReady(),
        onRtp: (packet) => this.#onRtp(packet),
        onRtcp: (packet) => this.#noteSenderReport(packet),
        onFeedback: (feedback) => this.#onFeedback(feedback),
        // The page was reloaded or closed the connection; the next one replaces this.
        onClosed: () => {},
      },
    });
  }

  /** The offer, which the page may follow at once; later ones of the same connection differ only in their version. */
  offer(): string {
    this.#connection.listen();
    const { audio, video } = this.#options;
    const { place, ssrcs } = this.#connection;
    return writePageOffer({
      ...place,
      version: ++this.#version,
      audio: { ...audio, ssrc: ssrcs.audio },
      video: video && { ...video, ssrc: ssrcs.video },
    });
  }

  /** Takes the page's first or later answer. @throws FaceplateError INVALID_REQUEST. */
  accept(sdp: string): void {
    this.#connection.accept(parsePageAnswer(sdp));
  }

  /** Leaves the socket; sends nothing more. Safe to call twice. */
  close(): void {
    this.#connection.close();
  }

  get isReady(): boolean {
    return this.#connection.isReady;
  }

  /** Sends one RTP payload; larger ones are split. Does nothing before `onReady`. */
  sendVideo(timestamp: number, marker: boolean, payload: Buffer): void {
    const parts = splitPayload(payload);
    for (const [index, part] of parts.entries()) {
      this.#connection.sendMedia('video', timestamp, marker && index === parts.length - 1, part);
    }
  }

  sendAudio(timestamp: number, marker: boolean, payload: Buffer): void {
    this.#connection.sendMedia('audio', timestamp, marker, payload);
  }

  /** Number of lost packets of the remote party: without it the page would show a broken picture. */
  skip(kind: TrackKind, count: number): void {
    this.#connection.skip(kind, count);
  }

  /** Ties a track's timestamps to the time of day. */
  sendSenderReport(kind: TrackKind, point: ClockPoint): void {
    this.#connection.sendSenderReport(kind, point);
  }

  /** Call it every second: reports what arrived, and how much video the page may send. */
  report(): void {
    const { ssrcs } = this.#connection;
    for (const kind of ['audio', 'video'] as const) {
      const heard = this.#heard[kind];
      if (heard === undefined) continue;
      const since = heard.lastReport === 0 ? 0 : (performance.now() - heard.reportedAt) * 65.536;
      const delay = Math.min(Math.round(since), 0xffffffff);
      const report = writeReception(ssrcs[kind], { ...heard, delay });
      const limit = writeBitrateLimit(ssrcs[kind], heard.ssrc, this.#options.bitrate);
      this.#connection.sendRtcp(kind === 'audio' ? report : Buffer.concat([report, limit]));
    }
  }

  /** Asks the page's camera for a key frame. */
  askForKeyFrame(): void {
    const heard = this.#heard.video;
    if (heard === undefined) return;
    const { video } = this.#connection.ssrcs;
    const report = writeReception(video, { ...heard, delay: 0 });
    this.#connection.sendRtcp(Buffer.concat([report, writePictureLoss(video, heard.ssrc)]));
  }

  #onRtp(data: Buffer): void {
    const packet = parseRtpPacket(data);
    if (packet === undefined) return;
    const { audio, video, events } = this.#options;
    if (packet.payloadType === audio.payloadType) {
      this.#hear('audio', data.readUInt32BE(8), packet.sequence);
      events.onAudio(packet);
    } else if (packet.payloadType === video?.payloadType) {
      this.#hear('video', data.readUInt32BE(8), packet.sequence);
      events.onVideo(packet);
    }
  }

  #onFeedback(feedback: Feedback): void {
    if (feedback.kind === 'nack') this.#connection.resend(feedback.sequences);
    else if (feedback.kind === 'keyFrame') this.#options.events.onKeyFrameWanted();
  }

  #hear(kind: TrackKind, ssrc: number, sequence: number): void {
    const heard = this.#heard[kind];
    if (heard?.ssrc !== ssrc) {
      this.#heard[kind] = { ssrc, highestSequence: sequence, lastReport: 0, reportedAt: 0 };
      return;
    }
    const ahead = ((sequence - heard.highestSequence) << 16) >> 16;
    if (ahead > 0) heard.highestSequence += ahead;
  }

  #noteSenderReport(packet: Buffer): void {
    const point = parseSenderReport(packet);
    if (point === undefined) return;
    const ssrc = packet.readUInt32BE(4);
    for (const heard of Object.values(this.#heard)) {
      if (heard.ssrc !== ssrc) continue;
      heard.lastReport = ((point.ntpSeconds << 16) | (point.ntpFraction >>> 16)) >>> 0;
      heard.reportedAt = performance.now();
    }
  }
}
