/** The parts of an RTP packet that we use. `payload` is a view of the original packet. */
export interface RtpPacket {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Buffer;
}

const FIXED_HEADER = 12;

/** Reads an RTP packet (RFC 3550 section 5.1): CSRCs, extension and padding are cut off; undefined if it is not RTP. */
export function parseRtpPacket(packet: Buffer): RtpPacket | undefined {
  if (packet.length < FIXED_HEADER || packet[0]! >> 6 !== 2) return undefined;
  const hasPadding = (packet[0]! & 0x20) !== 0;
  const hasExtension = (packet[0]! & 0x10) !== 0;
  let start = FIXED_HEADER + 4 * (packet[0]! & 0x0f);
  if (hasExtension) {
    if (packet.length < start + 4) return undefined;
    start += 4 + 4 * packet.readUInt16BE(start + 2);
  }
  const end = packet.length - (hasPadding ? packet[packet.length - 1]! : 0);
  if (end <= start) return undefined;
  return {
    payloadType: packet[1]! & 0x7f,
    marker: (packet[1]! & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    payload: packet.subarray(start, end),
  };
}

/** Counts the packets that are missing in a sequence of 16-bit numbers. */
export class LossCounter {
  #next: number | undefined;
  #lost = 0;

  /** Takes the next sequence number; an older one changes nothing. */
  add(sequence: number): void {
    const gap = this.#next === undefined ? 0 : (sequence - this.#next) & 0xffff;
    if (gap >= 0x8000) return;
    this.#lost += gap;
    this.#next = (sequence + 1) & 0xffff;
  }

  get lost(): number {
    return this.#lost;
  }
}
