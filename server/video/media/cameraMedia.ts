import type { Clock } from '../../platform/clock.ts';
import { H264Source, type StreamFault, type VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import type { PictureSize } from '../../webrtc/rtp/h264Sps.ts';
import type { Mending } from '../../webrtc/rtp/nalReader.ts';
import { type ClockPoint, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { LossCounter, parseRtpPacket, type RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { SteadyTimestamps } from '../../webrtc/rtp/timestampMap.ts';
import type { CameraTracks } from '../tracks.ts';

interface CameraMediaOptions {
  readonly tracks: CameraTracks;
  readonly clock: Clock;
  readonly onVideo: (packet: VideoPacket) => void;
  readonly onAudio: (packet: RtpPacket) => void;
}

type Kind = 'video' | 'audio';

/** Index of the video in the order of SETUP. */
const VIDEO = 0;
/** Packets of H.264 in a row after which an undescribed payload type counts as that of the video. */
const ENOUGH = 5;

/**
 * What a camera sends on one connection, as viewers get it: finds out which packets are video and which are sound, whatever
 * channel and payload type they have, counts what is missing, and puts the pictures together.
 */
export class CameraMedia {
  readonly #options: CameraMediaOptions;
  readonly #mended = new Set<Mending>();
  readonly #source: H264Source;
  readonly #loss = new LossCounter();
  readonly #audioTimes: SteadyTimestamps;
  /** Payload types of H.264 in the description. */
  readonly #described: readonly number[];
  #videoType: number;
  /** Packets in a row of a type that is not described, which may be the video's. */
  #candidates: RtpPacket[] = [];
  #isShared = false;
  /** SSRCs, learned where both tracks use one channel. */
  readonly #ssrcs: Partial<Record<Kind, number>> = {};
  readonly #reports: Partial<Record<Kind, { readonly point: ClockPoint; readonly jumps: number }>> = {};

  constructor(options: CameraMediaOptions) {
    const { tracks, clock, onVideo } = options;
    this.#options = options;
    this.#videoType = tracks.video.format.payloadType;
    this.#described = tracks.video.media.formats
      .filter(({ codec }) => codec === 'H264')
      .map(({ payloadType }) => payloadType);
    this.#audioTimes = new SteadyTimestamps(tracks.audio?.format.clockRate ?? 1);
    this.#source = new H264Source(tracks.video.parameterSets, {
      clock,
      onPacket: onVideo,
      mended: this.#mended,
    });
    if (tracks.video.areSetsMisplaced) this.#mended.add('setsInSdp');
  }

  /** What was repaired so far, for the verdict on the camera. */
  get mended(): ReadonlySet<Mending> {
    return this.#mended;
  }

  /** Why no picture can be shown; undefined if there is no reason. */
  get fault(): StreamFault | undefined {
    return this.#source.fault;
  }

  get size(): PictureSize | undefined {
    return this.#source.size;
  }

  get hasBSlices(): boolean {
    return this.#source.hasBSlices;
  }

  /** By how much the last picture came later after the one before it than their timestamps say, in milliseconds. */
  get pauseMs(): number {
    return this.#source.pauseMs;
  }

  /** Milliseconds between two pictures by the camera's own timestamps; undefined before the second. */
  get intervalMs(): number | undefined {
    return this.#source.intervalMs;
  }

  /** Video packets that are missing in the camera's own count. */
  get lost(): number {
    return this.#loss.lost;
  }

  /** The camera's latest sender report of a track, on the base of its packets; undefined where that has changed since. */
  report(kind: Kind): ClockPoint | undefined {
    const report = this.#reports[kind];
    const times = this.#timesOf(kind);
    if (report === undefined || report.jumps !== times.jumps) return undefined;
    return { ...report.point, timestamp: times.translate(report.point.timestamp) };
  }

  /** Takes an RTP packet of a track, in the order of SETUP. @returns the bytes of its payload if it is video, else 0 */
  onRtp(track: number, data: Buffer): number {
    const packet = parseRtpPacket(data);
    if (packet === undefined) return 0;
    const kind = this.#kindOf(track, packet);
    if (kind === undefined) return 0;
    if (this.#isShared) this.#ssrcs[kind] = data.readUInt32BE(8);
    if (kind === 'audio') {
      const timestamp = this.#audioTimes.next(packet.timestamp, this.#options.clock.now());
      this.#options.onAudio(timestamp === packet.timestamp ? packet : { ...packet, timestamp });
      return 0;
    }
    for (const earlier of this.#candidates) this.#onVideo(earlier);
    if (this.#candidates.length > 0) this.#candidates = [];
    this.#onVideo(packet);
    return packet.payload.length;
  }

  /** Takes an RTCP packet of a track. */
  onRtcp(track: number, data: Buffer): void {
    const point = parseSenderReport(data);
    if (point === undefined) return;
    const kind = this.#isShared ? this.#kindOfSsrc(data) : track === VIDEO ? 'video' : 'audio';
    if (kind !== undefined) this.#reports[kind] = { point, jumps: this.#timesOf(kind).jumps };
  }

  /** The connection is over. */
  stop(): void {
    this.#source.stop();
  }

  #onVideo(packet: RtpPacket): void {
    const place = this.#loss.add(packet.sequence);
    if (place !== 'old') this.#source.push(packet, place === 'next');
  }

  #timesOf(kind: Kind): Pick<SteadyTimestamps, 'jumps' | 'translate'> {
    return kind === 'video' ? this.#source : this.#audioTimes;
  }

  #kindOfSsrc(report: Buffer): Kind | undefined {
    const ssrc = report.readUInt32BE(4);
    if (this.#ssrcs.video === this.#ssrcs.audio) return undefined;
    return ssrc === this.#ssrcs.video ? 'video' : ssrc === this.#ssrcs.audio ? 'audio' : undefined;
  }

  /** By the payload type where that is clear, else by the channel. */
  #kindOf(track: number, packet: RtpPacket): Kind | undefined {
    const { payloadType } = packet;
    const audioType = this.#options.tracks.audio?.format.payloadType;
    if (payloadType === this.#videoType && payloadType !== audioType) {
      if (track !== VIDEO) this.#share();
      this.#candidates = this.#candidates.length > 0 ? [] : this.#candidates;
      return 'video';
    }
    if (payloadType === audioType) {
      if (payloadType === this.#videoType) return track === VIDEO ? 'video' : 'audio';
      if (track === VIDEO) this.#share();
      return 'audio';
    }
    if (track !== VIDEO && !this.#isShared) return undefined;
    return this.#isVideoAfterAll(packet) ? 'video' : undefined;
  }

  #share(): void {
    this.#isShared = true;
    this.#mended.add('sharedChannel');
  }

  /**
   * Handles a payload type that is not that of the video. Another described type of H.264 counts at once. An undescribed one
   * counts when only such packets arrive and one format is described. Others are ignored.
   */
  #isVideoAfterAll(packet: RtpPacket): boolean {
    const { payloadType } = packet;
    if (!this.#described.includes(payloadType)) {
      if (this.#candidates[0]?.payloadType !== payloadType) this.#candidates = [];
      const isPossible = this.#described.length === 1 && looksLikeH264(packet.payload);
      if (!isPossible || this.#candidates.length < ENOUGH - 1) {
        if (isPossible) this.#candidates.push({ ...packet, payload: Buffer.from(packet.payload) });
        this.#loss.pass(packet.sequence);
        return false;
      }
      this.#mended.add('payloadType');
    }
    this.#videoType = payloadType;
    return true;
  }
}

/** Whether a payload begins as H.264 does (RFC 6184 section 5.4), or with a start code. */
function looksLikeH264(payload: Buffer): boolean {
  const isUsual = (type: number): boolean => type === 1 || (type >= 5 && type <= 9);
  const type = payload[0]! & 0x1f;
  if (payload.length < 2 || (payload[0]! & 0x80) !== 0) return false;
  if (type === 28) return isUsual(payload[1]! & 0x1f);
  return type === 24 || isUsual(type) || (payload.readUInt16BE(0) === 0 && payload[2]! < 2);
}
