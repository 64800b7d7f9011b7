import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';

/** Most bytes and RTP ticks (90 kHz) that are kept. */
const BYTE_LIMIT = 8 * 1024 * 1024;
const TICK_LIMIT = 10 * 90_000;
/** Memory is taken in pieces of so many bytes: a group at 4 Mbit/s needs four. */
const PIECE_BYTES = 256 * 1024;

/**
 * Everything since the last key frame, so that a new viewer has a picture at once. The next group takes over the memory of
 * the last: new memory for each packet would be work for the garbage collector.
 */
export class GopCache {
  #packets: VideoPacket[] = [];
  #bytes = 0;
  readonly #pieces: Buffer[] = [];
  /** The piece that is being filled, and how far it is. */
  #piece = 0;
  #filled = 0;

  /**
   * Empty before the first key frame, and once the group exceeds the limits. It is another array with the next group, and
   * the payloads of this one are overwritten then.
   */
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
    const { timestamp, marker, startsKeyFrame, isRepeated } = packet;
    const payload = this.#keep(packet.payload);
    this.#packets.push({ payload, timestamp, marker, startsKeyFrame, isRepeated });
    this.#bytes += packet.payload.length;
  }

  clear(): void {
    this.#packets = [];
    this.#bytes = 0;
    // What this group did not need, an unusual one before it did.
    if (this.#filled > 0) this.#pieces.length = this.#piece + 1;
    this.#piece = 0;
    this.#filled = 0;
  }

  #keep(payload: Buffer): Buffer {
    if (payload.length > PIECE_BYTES) return Buffer.from(payload);
    if (this.#filled + payload.length > PIECE_BYTES) {
      this.#piece++;
      this.#filled = 0;
    }
    this.#pieces[this.#piece] ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    const piece = this.#pieces[this.#piece]!;
    const kept = piece.subarray(this.#filled, this.#filled + payload.length);
    kept.set(payload);
    this.#filled += payload.length;
    return kept;
  }
}
