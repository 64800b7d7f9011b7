import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';

/** Most bytes and RTP ticks (90 kHz) that are kept. */
const BYTE_LIMIT = 8 * 1024 * 1024;
const TICK_LIMIT = 10 * 90_000;

/** Everything since the last key frame, so that a new viewer has a picture at once. */
export class GopCache {
  #packets: VideoPacket[] = [];
  #bytes = 0;

  /** Empty before the first key frame, and once the group exceeds the limits. */
  get packets(): readonly VideoPacket[] {
    return this.#packets;
  }

  add(packet: VideoPacket): void {
    if (packet.startsKeyFrame) this.clear();
    else if (this.#packets.length === 0) return;
    const first = this.#packets[0]?.timestamp ?? packet.timestamp;
    // As a signed difference: a timestamp that steps back is not four hours ahead.
    const ticks = (packet.timestamp - first) | 0;
    if (this.#bytes + packet.payload.length > BYTE_LIMIT || Math.abs(ticks) > TICK_LIMIT) {
      this.clear();
      return;
    }
    // A copy: the payload is a view of a socket chunk that may hold much more.
    this.#packets.push({ ...packet, payload: Buffer.from(packet.payload) });
    this.#bytes += packet.payload.length;
  }

  clear(): void {
    this.#packets = [];
    this.#bytes = 0;
  }
}
