import { malformed } from './failure.ts';
import type { MediaTransport, PacketSink } from './transport.ts';

/** RTP inside the RTSP connection (RFC 2326 section 10.12). */
export class InterleavedTransport implements MediaTransport {
  readonly #sink: PacketSink;
  readonly #channels = new Map<number, { track: number; rtcp: boolean }>();

  constructor(sink: PacketSink) {
    this.#sink = sink;
  }

  offer(track: number): string {
    return `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`;
  }

  /** The camera may choose other channels than we requested. */
  accept(track: number, answer: string | undefined): void {
    if (answer !== undefined && /client_port|server_port/i.test(answer) && !/interleaved/i.test(answer)) {
      throw malformed('it wants to send over UDP although TCP was asked for');
    }
    const match = /interleaved\s*=\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?/i.exec(answer ?? '');
    const rtp = match === null ? 2 * track : Number(match[1]);
    const rtcp = match?.[2] === undefined ? rtp + 1 : Number(match[2]);
    this.#channels.set(rtp, { track, rtcp: false });
    this.#channels.set(rtcp, { track, rtcp: true });
  }

  close(): void {
    this.#channels.clear();
  }

  /** Takes a frame of a channel; frames of unknown channels are dropped. */
  deliver(channel: number, payload: Buffer): void {
    const target = this.#channels.get(channel);
    if (target === undefined) return;
    if (target.rtcp) this.#sink.onRtcp(target.track, payload);
    else this.#sink.onRtp(target.track, payload);
  }
}
