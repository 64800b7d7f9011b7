import { splitPayload } from '../../webrtc/rtp/h264.ts';
import { clockPointAt, writeSenderReport } from '../../webrtc/rtp/rtcp.ts';

/** RTP clock of H.264 in Hz (RFC 6184, 8.2.1). */
export const VIDEO_CLOCK_HZ = 90_000;

const RTP_HEADER_BYTES = 12;

/** The sending end of one RTP stream: numbers its packets and counts them for the sender reports. */
export class RtpSender {
  readonly #payloadType: number;
  readonly ssrc: number;
  #sequence: number;
  #packets = 0;
  #octets = 0;

  constructor(options: { payloadType: number; ssrc: number; firstSequence: number }) {
    this.#payloadType = options.payloadType;
    this.ssrc = options.ssrc >>> 0;
    this.#sequence = options.firstSequence & 0xffff;
  }

  /** Sequence number of the next packet. */
  get nextSequence(): number {
    return this.#sequence;
  }

  /** The packets of one picture (RFC 6184: single NAL units, or FU-A for large ones); the last one carries the marker. */
  packetsOf(nals: readonly Buffer[], timestamp: number): Buffer[] {
    const payloads = nals.flatMap((nal) => splitPayload(nal));
    return payloads.map((payload, index) => this.#packet(payload, timestamp, index === payloads.length - 1));
  }

  /** A sender report with its CNAME (RFC 3550, 6.4.1 and 6.5.1). @param now milliseconds since 1970 at `timestamp`. */
  senderReport(now: number, timestamp: number, cname: string): Buffer {
    const sent = { packets: this.#packets, octets: this.#octets };
    return writeSenderReport(this.ssrc, clockPointAt(now, timestamp >>> 0), sent, cname);
  }

  #packet(payload: Buffer, timestamp: number, marker: boolean): Buffer {
    const packet = Buffer.allocUnsafe(RTP_HEADER_BYTES + payload.length);
    packet[0] = 0x80;
    packet[1] = (marker ? 0x80 : 0) | this.#payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(timestamp >>> 0, 4);
    packet.writeUInt32BE(this.ssrc, 8);
    payload.copy(packet, RTP_HEADER_BYTES);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#packets++;
    this.#octets += payload.length;
    return packet;
  }
}

/** A packet as it travels inside an RTSP connection (RFC 2326, 10.12). */
export function interleaved(channel: number, packet: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(4 + packet.length);
  framed[0] = 0x24;
  framed[1] = channel;
  framed.writeUInt16BE(packet.length, 2);
  packet.copy(framed, 4);
  return framed;
}
