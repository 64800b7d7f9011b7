import { GopReplay } from '../../video/gopReplay.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { ReorderWindow } from '../../webrtc/rtp/reorderWindow.ts';
import { type ClockPoint, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { parseRtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../../webrtc/rtp/timestampMap.ts';
import type { PagePeer } from './page/pagePeer.ts';
import type { VideoTerms } from './sdp/terms.ts';
import { VideoFeed } from './videoFeed.ts';

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
  #point: ClockPoint | undefined;

  constructor(options: IncomingVideoOptions) {
    this.#options = options;
    this.feed = new VideoFeed(options.onKeyFrameNeeded);
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
    this.#point = point;
    this.feed.note(point);
  }

  /** The intercom page's timestamps on the remote party's clock, and on ours. */
  get points(): { readonly theirs: ClockPoint | undefined; readonly ours: ClockPoint | undefined } {
    const timestamp = this.#point && this.#timestamps.translate(this.#point.timestamp);
    const theirs = timestamp === undefined ? undefined : { ...this.#point!, timestamp };
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
    this.#point = undefined;
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
    if (packet === undefined || packet.payloadType !== this.#terms?.payloadType) return;
    const packets = this.feed.push(packet);
    // They are already in the cache, behind the packets still to be sent.
    if (this.#replay !== undefined) this.#replay.onAppended();
    else for (const video of packets) this.#send(video);
  }

  #send({ payload, timestamp, marker }: VideoPacket): void {
    this.#options.peer()?.sendVideo(this.#timestamps.map(timestamp), marker, payload);
  }
}
