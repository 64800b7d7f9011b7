import { ownAddresses } from '../platform/net/addresses.ts';
import type { WebRtcConnection } from '../webrtc/connection.ts';
import type { DtlsCertificate } from '../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../webrtc/ice/loopbackSocket.ts';
import { chooseAudio, chooseH264, chooseTalk, isConvertible, type Offer } from '../webrtc/offer.ts';
import { WebRtcPeer } from '../webrtc/peer.ts';
import { pcmaToPcmu, pcmuToPcma } from '../webrtc/rtp/g711.ts';
import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';
import type { ClockPoint } from '../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../webrtc/rtp/timestampMap.ts';
import type { TrackKind } from '../webrtc/srtp/srtpSender.ts';
import type { FeedSink } from './cameraFeed.ts';
import type { MediaLimits } from './limits.ts';
import { GopReplay, type PictureGroup } from './media/gop.ts';
import { PictureCheck, type PictureFault } from './media/pictureCheck.ts';

/** How often sound and picture are synchronised, in milliseconds. */
const REPORT_PERIOD_MS = 1_000;

/** A source to watch: a camera, or the picture of a call. */
export interface Feed {
  readonly tracks: {
    readonly video: {
      readonly format: { readonly clockRate: number };
      readonly profileLevelId: string | undefined;
    };
    readonly audio: { readonly format: { readonly clockRate: number }; readonly rtpmap: string } | undefined;
  };
  /** The last group of pictures, for a new viewer. */
  readonly recent: PictureGroup;
  attach(sink: FeedSink): void;
  detach(sink: FeedSink): void;
  /** The source's latest sender report of a track. */
  report(kind: TrackKind): ClockPoint | undefined;
  /** Packets that are missing in the camera's own count; undefined for other sources. */
  readonly lost?: number;
  /** Whether its pictures come evenly; undefined for sources that do not say. */
  readonly isSteady?: boolean;
  /** Only if the source can be asked for a key frame; cameras cannot. */
  askForKeyFrame?(): void;
}

interface ViewerOptions {
  readonly feed: Feed;
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly offer: Offer;
  readonly limits: MediaLimits;
  /** What the source takes of the viewer's voice (rtpmaps); without it the viewer only listens. */
  readonly takes?: readonly string[];
  /** A packet of the viewer's voice. */
  readonly onVoice?: (packet: RtpPacket) => void;
  /** Of the stream itself, six hex digits; undefined while only the description of the source is known. */
  readonly profileLevelId?: string | undefined;
  /** The first packet of a picture was sent. */
  readonly onFirstFrame: () => void;
  /** A picture was sent that a browser can decode. */
  readonly onPicture?: () => void;
  /** The viewer is gone; called at most once, never after `close`. @param reason for the log. */
  readonly onGone: (reason: string) => void;
}

/**
 * One browser that watches one source: starts it on a key frame, maps its timestamps, checks that it is still there.
 */
export class Viewer implements FeedSink {
  readonly #options: ViewerOptions;
  #feed: Feed;
  readonly #peer: WebRtcPeer;
  readonly #connection: WebRtcConnection;
  readonly #timestamps: Readonly<Record<TrackKind, TimestampMap>>;
  /** The audio codec that the answer carries; a camera that comes back with another one stays silent. */
  readonly #audioRtpmap: string | undefined;
  /** The viewer gets sound of the camera in the codec of its own voice. */
  readonly #convert: ((payload: Buffer) => Buffer) | undefined;
  /** The codec in which the viewer talks, as an rtpmap; undefined: it does not. */
  readonly talkRtpmap: string | undefined;
  readonly #openedAt = performance.now();
  /** Whether it needs a key frame: everything before one is useless for it. */
  #waitsForKeyFrame = true;
  #hasBegun = false;
  #isSteady = true;
  readonly #pictures = new PictureCheck();
  /** Packets missing in what is sent: in a replay, those before it began. */
  #lostInReplay = 0;
  #replay: GopReplay | undefined;
  #replayedAt = Number.NEGATIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ViewerOptions) {
    const { feed, offer, socket, certificate } = options;
    const { video, audio } = feed.tracks;
    const audioLine = offer.audioIndex === undefined ? undefined : offer.media[offer.audioIndex];
    const talk = audioLine && chooseTalk(audioLine, options.takes ?? [], audio?.rtpmap);
    const isConverted = talk !== undefined && audio !== undefined && isConvertible(audio.rtpmap, talk.rtpmap);
    const audioFormat = isConverted
      ? talk.format
      : audio && audioLine && chooseAudio(audioLine, audio.rtpmap);
    if (isConverted) this.#convert = talk.rtpmap.startsWith('PCMU') ? pcmaToPcmu : pcmuToPcma;
    this.talkRtpmap = talk?.rtpmap;
    this.#options = options;
    this.#feed = feed;
    this.#audioRtpmap = audioFormat && audio?.rtpmap;
    this.#timestamps = {
      video: new TimestampMap(video.format.clockRate),
      audio: new TimestampMap(audio?.format.clockRate ?? 1),
    };
    this.#peer = new WebRtcPeer({
      socket,
      certificate,
      offer,
      video: chooseH264(offer.media[offer.videoIndex]!, options.profileLevelId ?? video.profileLevelId),
      audio: audioFormat,
      talk: talk?.format,
      events: {
        onVoice: (packet) => options.onVoice?.(packet),
        onReady: () => this.#startReplay(false),
        onKeyFrameWanted: () => this.#onKeyFrameWanted(),
        onOverrun: () => this.#skipToKeyFrame(),
        onClosed: (reason) => this.#end(reason),
      },
    });
    this.#connection = this.#peer.connection;
  }

  /** Opens a further way to a program on this machine that does not reach loopback; before `open`. */
  prepare(): Promise<void> {
    return this.#peer.prepare(() =>
      ownAddresses().flatMap(({ address, family, isInternal }) =>
        family === 'IPv4' && !isInternal ? [address] : [],
      ),
    );
  }

  /** Starts to watch. @returns the SDP answer. */
  open(): string {
    this.#feed.attach(this);
    return this.#peer.open();
  }

  /** Ends it. @param saysGoodbye whether the browser gets a notice; without one it takes seconds to detect the end. */
  close(saysGoodbye = false): void {
    if (saysGoodbye) this.#connection.sayGoodbye();
    this.#feed.detach(this);
    this.#replay?.stop();
    this.#connection.close();
  }

  /** Call it about every half second: detects a viewer that is gone, sends sender reports. */
  tick(now: number): void {
    const { limits } = this.#options;
    if (!this.#connection.isReady) {
      if (now - this.#openedAt >= limits.handshakeMs) this.#end('the viewer never connected');
      return;
    }
    if (now - this.#connection.heardAt >= limits.viewerSilentMs) this.#end('the viewer is silent');
    else if (now - this.#reportedAt >= REPORT_PERIOD_MS) this.#sendReports(now);
  }

  /** Packets and payload bytes sent, audio included. */
  get sent(): { packets: number; octets: number } {
    const video = this.#connection.sent('video');
    const audio = this.#connection.sent('audio');
    return { packets: video.packets + audio.packets, octets: video.octets + audio.octets };
  }

  /** Video packets that the viewer missed. */
  get lost(): number {
    return this.#peer.reportedLost;
  }

  /** Whether ICE and DTLS are done. */
  get isConnected(): boolean {
    return this.#connection.isReady;
  }

  /** Why no picture was sent so far; undefined where one was. */
  get fault(): PictureFault | undefined {
    return this.#pictures.fault;
  }

  /** Audio codec on its way to the viewer, such as `PCMU`. */
  get audioCodec(): string | null {
    return this.#audioRtpmap?.split('/')[0]?.toUpperCase() ?? null;
  }

  onVideo(packet: VideoPacket): void {
    if (!this.#connection.isReady) return;
    if (this.#replay !== undefined) {
      // The packet is already in the cache, behind the packets still to be sent.
      this.#replay.onAppended();
      return;
    }
    if (this.#waitsForKeyFrame && !packet.startsKeyFrame) return;
    this.#sendVideo(packet, false);
  }

  onAudio(packet: RtpPacket): void {
    if (this.#audioRtpmap === undefined || !this.#connection.isReady) return;
    if (this.#feed.tracks.audio?.rtpmap !== this.#audioRtpmap) return;
    this.#connection.sendMedia(
      'audio',
      this.#timestamps.audio.map(packet.timestamp),
      packet.marker,
      this.#convert?.(packet.payload) ?? packet.payload,
    );
  }

  /** Goes on with another feed from this key frame of it on, on the same time line. */
  switchTo(feed: Feed, keyFrame: VideoPacket): void {
    this.#feed.detach(this);
    this.#feed = feed;
    this.onRestart();
    feed.attach(this);
    this.onVideo(keyFrame);
  }

  onRestart(): void {
    this.#timestamps.video.restart();
    this.#timestamps.audio.restart();
    this.#skipToKeyFrame();
  }

  /** PLI: a new key frame, or the last group of pictures again. Not while one is already under way. */
  #onKeyFrameWanted(): void {
    if (this.#feed.askForKeyFrame !== undefined) {
      this.#feed.askForKeyFrame();
      return;
    }
    const now = performance.now();
    if (this.#replay !== undefined || this.#waitsForKeyFrame) return;
    if (now - this.#replayedAt < this.#options.limits.replayMs) return;
    this.#startReplay(true);
  }

  /** @param again the viewer has seen these pictures, or should have seen them. */
  #startReplay(again: boolean): void {
    this.#replayedAt = performance.now();
    this.#lostInReplay = this.#feed.lost ?? 0;
    if (again) this.#timestamps.video.startRepeat();
    this.#replay = new GopReplay({
      recent: () => this.#feed.recent,
      again,
      send: (packet, repeats) => this.#sendVideo(packet, repeats),
      onDone: (isComplete) => {
        this.#replay = undefined;
        if (!isComplete) this.#waitsForKeyFrame = true;
      },
    });
    this.#replay.start();
  }

  #sendVideo(packet: VideoPacket, repeats: boolean): void {
    const { payload, timestamp, marker } = packet;
    if (this.#connection.isCongested) {
      this.#skipToKeyFrame();
      return;
    }
    this.#waitsForKeyFrame = false;
    const isSteady = this.#feed.isSteady !== false;
    if (isSteady !== this.#isSteady) this.#peer.delaysPictures = !isSteady;
    this.#isSteady = isSteady;
    const map = this.#timestamps.video;
    this.#connection.sendMedia(
      'video',
      repeats ? map.repeat(timestamp) : map.map(timestamp),
      marker,
      payload,
    );
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#options.onFirstFrame();
    }
    const lost = this.#replay === undefined ? this.#feed.lost : this.#lostInReplay;
    if (this.#pictures.add(packet, lost)) this.#options.onPicture?.();
  }

  /** Packets up to there would only show a broken picture. */
  #skipToKeyFrame(): void {
    this.#replay?.stop();
    this.#replay = undefined;
    this.#waitsForKeyFrame = true;
    this.#pictures.restart();
  }

  /**
   * The camera's own clock if it reports it for every track, else the time of arrival. Mixing the two would break
   * lip-sync.
   */
  #sendReports(now: number): void {
    const kinds: TrackKind[] = this.#audioRtpmap === undefined ? ['video'] : ['video', 'audio'];
    const points = kinds.map((kind) => this.#cameraPoint(kind));
    const isComplete = points.every((point) => point !== undefined);
    for (const [index, kind] of kinds.entries()) {
      const point = isComplete ? points[index] : this.#timestamps[kind].arrivalPoint();
      if (point === undefined) continue;
      this.#connection.sendSenderReport(kind, point);
      this.#reportedAt = now;
    }
  }

  #cameraPoint(kind: TrackKind): ClockPoint | undefined {
    const point = this.#feed.report(kind);
    const timestamp = point && this.#timestamps[kind].translate(point.timestamp);
    return timestamp === undefined ? undefined : { ...point!, timestamp };
  }

  #end(reason: string): void {
    this.close();
    this.#options.onGone(reason);
  }
}
