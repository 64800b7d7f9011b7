import type { FeedSink } from '../../video/cameraFeed.ts';
import { GopCache } from '../../video/gopCache.ts';
import type { Feed } from '../../video/viewer.ts';
import { H264Source, type VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import type { ClockPoint } from '../../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';

/** The video of one end of a call: the call forwards it, and viewers in the kiosk page see it. */
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

  /** @param ask asks for a key frame. */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  get recent(): readonly VideoPacket[] {
    return this.#gop.packets;
  }

  /** Another stream starts. @param parameterSets from its description. */
  restart(parameterSets: readonly Buffer[]): void {
    this.#source = new H264Source(parameterSets);
    this.#gop.clear();
    this.#point = undefined;
    for (const sink of this.#sinks) sink.onRestart();
  }

  /**
   * @returns the packets to send to a receiver: the packet, preceded by the parameter sets if a key frame lacks them.
   */
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
    // A phone may send one key frame at the start and then none until it is asked.
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
