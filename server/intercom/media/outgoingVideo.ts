import { type ClockPoint, clockPointAt } from '../../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../../webrtc/rtp/timestampMap.ts';
import type { RtpStream } from './rtp/rtpStream.ts';
import type { VideoTerms } from './sdp/terms.ts';
import { VideoFeed } from './videoFeed.ts';

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
    this.feed = new VideoFeed(askPage);
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
