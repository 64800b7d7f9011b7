import { type ClockPoint, clockPointAt } from '../media/rtp/rtcp.ts';
import type { RtpPacket } from '../media/rtp/rtpPacket.ts';
import { TimestampMap } from '../media/timestampMap.ts';
import type { RtpStream } from './rtp/rtpStream.ts';
import type { VideoTerms } from './sdp/terms.ts';
import { VideoFeed } from './videoFeed.ts';

/** The page's picture on its way to the far end and to viewers. */
export class OutgoingVideo {
  readonly feed: VideoFeed;
  readonly #stream: RtpStream;
  #timestamps = new TimestampMap(90_000);
  #payloadType: number | undefined;
  #last: { timestamp: number; at: number } | undefined;

  /** @param askPage for a key frame of its camera. */
  constructor(stream: RtpStream, askPage: () => void) {
    this.#stream = stream;
    this.feed = new VideoFeed(askPage);
  }

  /** @param terms undefined: nothing is sent. */
  open(terms: VideoTerms | undefined): void {
    const isNew = this.#payloadType === undefined && terms !== undefined;
    this.#payloadType = terms?.payloadType;
    // The first one went to nobody.
    if (isNew) this.feed.askForKeyFrame();
  }

  push(packet: RtpPacket): void {
    this.feed.push(packet);
    if (this.#payloadType === undefined) return;
    const timestamp = this.#timestamps.map(packet.timestamp);
    this.#last = { timestamp, at: Date.now() };
    this.#stream.send(this.#payloadType, packet.marker, timestamp, packet.payload);
  }

  /** The page's camera begins anew. */
  restart(): void {
    this.#timestamps.restart();
    this.feed.restart([]);
  }

  /** Where the timestamps stand now; undefined while nothing was sent. */
  get point(): ClockPoint | undefined {
    return this.#last && clockPointAt(this.#last.at, this.#last.timestamp);
  }
}
