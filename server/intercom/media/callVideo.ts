import { systemClock } from '../../platform/clock.ts';
import type { FeedSink } from '../../video/cameraFeed.ts';
import { defaultMediaLimits } from '../../video/limits.ts';
import { GopCache, GopReplay, type PictureGroup } from '../../video/media/gop.ts';
import { type Feed, Viewer } from '../../video/viewer.ts';
import { parseOffer } from '../../webrtc/offer.ts';
import { H264Source, type VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { ReorderWindow } from '../../webrtc/rtp/reorderWindow.ts';
import { type ClockPoint, clockPointAt, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { LossCounter, parseRtpPacket, type RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../../webrtc/rtp/timestampMap.ts';
import type { CallViewer } from '../ports.ts';
import type { PageShared } from './page/pageLink.ts';
import type { PagePeer } from './page/pagePeer.ts';
import type { RtpStream } from './rtp/rtpStream.ts';
import type { VideoTerms } from './sdp/terms.ts';

/** The video of one end of a call: the call forwards it, and viewers in the kiosk page see it. */
class VideoFeed implements Feed {
  readonly tracks = {
    video: { format: { clockRate: 90_000 }, profileLevelId: undefined },
    audio: undefined,
  };
  readonly #ask: () => void;
  readonly #forward: (packet: VideoPacket) => void;
  readonly #sinks = new Set<FeedSink>();
  readonly #gop = new GopCache();
  #loss = new LossCounter();
  #source = this.#newSource([]);
  #point: ClockPoint | undefined;

  /** @param ask asks for a key frame. @param forward sends a packet to the other end of the call */
  constructor(ask: () => void, forward: (packet: VideoPacket) => void) {
    this.#ask = ask;
    this.#forward = forward;
  }

  get recent(): PictureGroup {
    return this.#gop.packets;
  }

  /** Another stream starts. @param parameterSets from its description. */
  restart(parameterSets: readonly Buffer[]): void {
    this.stop();
    this.#source = this.#newSource(parameterSets);
    this.#loss = new LossCounter();
    this.#gop.clear();
    this.#point = undefined;
    for (const sink of this.#sinks) sink.onRestart();
  }

  /** Takes the next packet of the source. */
  push(packet: RtpPacket): void {
    const place = this.#loss.add(packet.sequence);
    if (place !== 'old') this.#source.push(packet, place === 'next');
  }

  /** Lets nothing wait. */
  stop(): void {
    this.#source.stop();
  }

  /** The source's latest sender report. */
  note(point: ClockPoint): void {
    this.#point = point;
  }

  attach(sink: FeedSink): void {
    this.#sinks.add(sink);
    // A phone may send one key frame at the start and then none until it is asked.
    if (this.#gop.packets.length === 0) this.#ask();
  }

  detach(sink: FeedSink): void {
    this.#sinks.delete(sink);
  }

  report(kind: 'video' | 'audio'): ClockPoint | undefined {
    if (kind !== 'video' || this.#point === undefined) return undefined;
    return { ...this.#point, timestamp: this.#source.translate(this.#point.timestamp) };
  }

  #newSource(parameterSets: readonly Buffer[]): H264Source {
    return new H264Source(parameterSets, {
      clock: systemClock,
      onPacket: (packet) => {
        this.#gop.add(packet);
        for (const sink of this.#sinks) sink.onVideo(packet);
        this.#forward(packet);
      },
    });
  }

  askForKeyFrame(): void {
    this.#ask();
  }
}

/** A larger step of the sequence numbers means that the remote party restarted its stream, not a loss. */
const MAX_GAP = 512;

interface IncomingVideoOptions {
  readonly peer: () => PagePeer | undefined;
  /** Asks the remote party for a key frame. */
  readonly onKeyFrameNeeded: () => void;
}

/** Video from the remote party to the intercom page and to viewers. */
export class IncomingVideo {
  readonly feed: VideoFeed;
  readonly #options: IncomingVideoOptions;
  readonly #timestamps = new TimestampMap(90_000);
  #order = this.#newOrder();
  #terms: VideoTerms | undefined;
  #ssrc: number | undefined;
  #next: number | undefined;
  #replay: GopReplay | undefined;

  constructor(options: IncomingVideoOptions) {
    this.#options = options;
    this.feed = new VideoFeed(options.onKeyFrameNeeded, (packet) => {
      // It is already in the cache, behind the packets still to be sent.
      if (this.#replay !== undefined) this.#replay.onAppended();
      else this.#send(packet);
    });
  }

  /** SSRC of the remote party's stream; undefined before its first packet. */
  get ssrc(): number | undefined {
    return this.#ssrc;
  }

  setTerms(terms: VideoTerms | undefined): void {
    const before = this.#terms?.parameterSets ?? [];
    this.#terms = terms;
    const sets = terms?.parameterSets ?? [];
    if (!Buffer.concat(before).equals(Buffer.concat(sets))) this.feed.restart(sets);
  }

  /** Takes a packet of the remote party. @param now milliseconds of a monotonic clock */
  push(data: Buffer, now: number): void {
    if (this.#terms?.receives !== true || data.length < 12) return;
    const ssrc = data.readUInt32BE(8);
    if (this.#ssrc !== ssrc) this.#follow(ssrc);
    this.#order.push(data, now);
  }

  onRtcp(data: Buffer): void {
    const point = parseSenderReport(data);
    if (point === undefined) return;
    this.feed.note(point);
  }

  /** The intercom page's timestamps on the remote party's clock, and on ours. */
  get points(): { readonly theirs: ClockPoint | undefined; readonly ours: ClockPoint | undefined } {
    const point = this.feed.report('video');
    const timestamp = point && this.#timestamps.translate(point.timestamp);
    const theirs = timestamp === undefined ? undefined : { ...point!, timestamp };
    return { theirs, ours: this.#timestamps.arrivalPoint() };
  }

  /**
   * A new intercom page gets all packets since the last key frame: not every remote party sends a new key frame on
   * request.
   */
  replay(): void {
    this.stop();
    if (this.feed.recent.length === 0) return;
    this.#replay = new GopReplay({
      recent: () => this.feed.recent,
      again: false,
      send: (packet) => this.#send(packet),
      onDone: () => {
        this.#replay = undefined;
      },
    });
    this.#replay.start();
  }

  stop(): void {
    this.#replay?.stop();
    this.#replay = undefined;
  }

  #newOrder(): ReorderWindow {
    return new ReorderWindow((data) => this.#onPacket(data));
  }

  #follow(ssrc: number): void {
    if (this.#ssrc !== undefined) {
      this.stop();
      this.#timestamps.restart();
      this.feed.restart(this.#terms?.parameterSets ?? []);
      this.#order = this.#newOrder();
    }
    this.#ssrc = ssrc;
    this.#next = undefined;
  }

  #onPacket(data: Buffer): void {
    const sequence = data.readUInt16BE(2);
    const gap = this.#next === undefined ? 0 : (sequence - this.#next) & 0xffff;
    this.#next = (sequence + 1) & 0xffff;
    const packet = parseRtpPacket(data);
    const peer = this.#options.peer();
    if (gap > 0) {
      // The intercom page has to see the gap; otherwise it would decode packets that do not belong together.
      if (gap < MAX_GAP) peer?.skip('video', gap);
      this.#options.onKeyFrameNeeded();
    }
    if (packet === undefined || this.#terms?.receivedTypes.has(packet.payloadType) !== true) return;
    this.feed.push(packet);
  }

  #send({ payload, timestamp, marker }: VideoPacket): void {
    this.#options.peer()?.sendVideo(this.#timestamps.map(timestamp), marker, payload);
  }
}

/** Video from the intercom page to the remote party and to viewers. */
export class OutgoingVideo {
  readonly feed: VideoFeed;
  readonly #stream: RtpStream;
  #timestamps = new TimestampMap(90_000);
  #payloadType: number | undefined;
  #last: { timestamp: number; at: number } | undefined;

  /** @param askPage asks the intercom page for a key frame of its camera. */
  constructor(stream: RtpStream, askPage: () => void) {
    this.#stream = stream;
    this.feed = new VideoFeed(askPage, () => {});
  }

  /** @param terms undefined: send nothing. */
  open(terms: VideoTerms | undefined): void {
    const isNew = this.#payloadType === undefined && terms !== undefined;
    this.#payloadType = terms?.payloadType;
    // The first key frame went nowhere.
    if (isNew) this.feed.askForKeyFrame();
  }

  push(packet: RtpPacket): void {
    this.feed.push(packet);
    if (this.#payloadType === undefined) return;
    const timestamp = this.#timestamps.map(packet.timestamp);
    this.#last = { timestamp, at: Date.now() };
    this.#stream.send(this.#payloadType, packet.marker, timestamp, packet.payload);
  }

  /** The intercom page's camera starts a new stream. */
  restart(): void {
    this.#timestamps.restart();
    this.feed.restart([]);
  }

  /** The current timestamp; undefined before the first packet. */
  get point(): ClockPoint | undefined {
    return this.#last && clockPointAt(this.#last.at, this.#last.timestamp);
  }
}

/** The viewers of a call: one of each kind. */
export class CallViewers {
  readonly #shared: PageShared;
  readonly #viewers = new Map<CallViewer, Viewer>();

  constructor(shared: PageShared) {
    this.#shared = shared;
  }

  /** Replaces the previous viewer. @returns the SDP answer. @throws FaceplateError INVALID_REQUEST. */
  show(which: CallViewer, feed: Feed, sdp: string): string {
    const offer = parseOffer(sdp);
    const { socket, certificate } = this.#shared;
    const viewer: Viewer = new Viewer({
      feed,
      socket,
      certificate,
      offer,
      limits: defaultMediaLimits,
      onFirstFrame: () => {},
      onGone: () => {
        if (this.#viewers.get(which) === viewer) this.#viewers.delete(which);
      },
    });
    this.#viewers.get(which)?.close();
    this.#viewers.set(which, viewer);
    return viewer.open();
  }

  /** Call it every second: removes viewers that are gone, sends sender reports. */
  tick(): void {
    for (const viewer of [...this.#viewers.values()]) viewer.tick(performance.now());
  }

  close(): void {
    for (const viewer of this.#viewers.values()) viewer.close();
    this.#viewers.clear();
  }
}
