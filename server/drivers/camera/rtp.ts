import { nalType } from './clip.ts';

/** RTP clock of H.264 in Hz (RFC 6184, 8.2.1). */
export const VIDEO_CLOCK_HZ = 90_000;

/** Largest RTP payload in bytes: a packet that fits any Ethernet, also after it is wrapped in SRTP. */
export const MAX_RTP_PAYLOAD_BYTES = 1_200;

const RTP_HEADER_BYTES = 12;
const FU_A = 28;

/** Seconds from the NTP epoch (1900) to the Unix epoch (1970). */
const NTP_UNIX_OFFSET_S = 2_208_988_800;

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
    const payloads = nals.flatMap(payloadsOf);
    return payloads.map((payload, index) => this.#packet(payload, timestamp, index === payloads.length - 1));
  }

  /** A sender report with its CNAME (RFC 3550, 6.4.1 and 6.5.1). @param now milliseconds since 1970 at `timestamp`. */
  senderReport(now: number, timestamp: number, cname: string): Buffer {
    const report = Buffer.alloc(28);
    report.writeUInt16BE(0x80c8, 0);
    report.writeUInt16BE(report.length / 4 - 1, 2);
    report.writeUInt32BE(this.ssrc, 4);
    const seconds = Math.floor(now / 1000);
    report.writeUInt32BE((seconds + NTP_UNIX_OFFSET_S) >>> 0, 8);
    report.writeUInt32BE(Math.floor((now / 1000 - seconds) * 2 ** 32) >>> 0, 12);
    report.writeUInt32BE(timestamp >>> 0, 16);
    report.writeUInt32BE(this.#packets >>> 0, 20);
    report.writeUInt32BE(this.#octets >>> 0, 24);

    const name = Buffer.from(cname, 'utf8');
    // One chunk: SSRC, item CNAME (1), its length, the name, and at least one zero byte up to a multiple of four.
    const description = Buffer.alloc(4 + 4 * Math.ceil((4 + 2 + name.length + 1) / 4));
    description.writeUInt16BE(0x81ca, 0);
    description.writeUInt16BE(description.length / 4 - 1, 2);
    description.writeUInt32BE(this.ssrc, 4);
    description[8] = 1;
    description[9] = name.length;
    name.copy(description, 10);
    return Buffer.concat([report, description]);
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

/** A NAL unit as it is, or cut into FU-A fragments (RFC 6184, 5.8). */
function payloadsOf(nal: Buffer): Buffer[] {
  if (nal.length <= MAX_RTP_PAYLOAD_BYTES) return [nal];
  const fragments: Buffer[] = [];
  const bytesEach = MAX_RTP_PAYLOAD_BYTES - 2;
  const indicator = (nal[0]! & 0xe0) | FU_A;
  for (let begin = 1; begin < nal.length; begin += bytesEach) {
    const isFirst = begin === 1;
    const isLast = begin + bytesEach >= nal.length;
    const header = (isFirst ? 0x80 : 0) | (isLast ? 0x40 : 0) | nalType(nal);
    fragments.push(Buffer.concat([Buffer.from([indicator, header]), nal.subarray(begin, begin + bytesEach)]));
  }
  return fragments;
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
