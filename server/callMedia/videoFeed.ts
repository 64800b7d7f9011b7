import type { FeedSink } from '../media/cameraFeed.ts';
import { GopCache } from '../media/gopCache.ts';
import { H264Source, type VideoPacket } from '../media/h264Source.ts';
import type { ClockPoint } from '../media/rtp/rtcp.ts';
import type { RtpPacket } from '../media/rtp/rtpPacket.ts';
import type { Feed } from '../media/viewer.ts';

/** The picture of one end of a call: passed on by the call itself, and shown to viewers of the project page. */
export class VideoFeed implements Feed {
  readonly tracks = {
    video: { format: { clockRate: 90_000 }, profileLevelId: undefined },
    audio: undefined,
  };
  readonly #ask: () => void;
  readonly #sinks = new Set<FeedSink>();
  readonly #gop = new GopCache();
  #source = new H264Source([]);
  #point: ClockPoint | undefined;

  /** @param ask for a key frame. */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  get recent(): readonly VideoPacket[] {
    return this.#gop.packets;
  }

  /** Another stream begins. @param parameterSets of its description. */
  restart(parameterSets: readonly Buffer[]): void {
    this.#source = new H264Source(parameterSets);
    this.#gop.clear();
    this.#point = undefined;
    for (const sink of this.#sinks) sink.onRestart();
  }

  /** @returns what a receiver has to be sent: the packet, behind the parameter sets where a key frame comes without. */
  push(packet: RtpPacket): readonly VideoPacket[] {
    const packets = this.#source.push(packet);
    for (const video of packets) {
      this.#gop.add(video);
      for (const sink of this.#sinks) sink.onVideo(video);
    }
    return packets.filter(({ isRepeated }) => !isRepeated);
  }

  /** The source's latest sender report. */
  note(point: ClockPoint): void {
    this.#point = point;
  }

  attach(sink: FeedSink): void {
    this.#sinks.add(sink);
    // A telephone may send one key frame at its beginning and then none until it is asked.
    if (this.#gop.packets.length === 0) this.#ask();
  }

  detach(sink: FeedSink): void {
    this.#sinks.delete(sink);
  }

  report(kind: 'video' | 'audio'): ClockPoint | undefined {
    return kind === 'video' ? this.#point : undefined;
  }

  askForKeyFrame(): void {
    this.#ask();
  }
}
