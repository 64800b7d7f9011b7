import { randomBytes } from 'node:crypto';

/** One moment on the camera's clock and as a track's RTP timestamp (RFC 3550 section 6.4.1). */
export interface ClockPoint {
  /** NTP time, seconds since 1900 and fraction. */
  readonly ntpSeconds: number;
  readonly ntpFraction: number;
  readonly timestamp: number;
}

/** What a viewer reports about what we send. */
export type Feedback =
  | { readonly kind: 'nack'; readonly ssrc: number; readonly sequences: readonly number[] }
  | { readonly kind: 'keyFrame'; readonly ssrc: number }
  | {
      readonly kind: 'report';
      readonly ssrc: number;
      readonly lost: number;
      /** Share of lost packets since the last report, 0 to 1. */
      readonly lostShare: number;
    };

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;
const GENERIC_NACK = 1;
const PICTURE_LOSS = 1;
const FULL_INTRA_REQUEST = 4;
const APPLICATION_LAYER = 15;
const SENDER_INFO_END = 28;
const REPORT_BLOCK = 24;
/** Seconds from 1900 (NTP) to 1970 (Unix). */
const NTP_OFFSET = 2_208_988_800;

/** Whether a datagram is RTCP, if RTP arrives on the same port (RFC 5761 section 4). */
export function isRtcp(data: Buffer): boolean {
  return data.length > 1 && data[1]! >= 192 && data[1]! <= 223;
}

/** The packets of a compound RTCP packet; ends at the first that is broken. */
function* compound(data: Buffer): Generator<{ type: number; count: number; packet: Buffer }> {
  let offset = 0;
  while (offset + 4 <= data.length) {
    const end = offset + 4 * (data.readUInt16BE(offset + 2) + 1);
    if (data[offset]! >> 6 !== 2 || end > data.length) return;
    yield { type: data[offset + 1]!, count: data[offset]! & 0x1f, packet: data.subarray(offset, end) };
    offset = end;
  }
}

/** The sender report in a camera's RTCP, if there is one. */
export function parseSenderReport(data: Buffer): ClockPoint | undefined {
  for (const { type, packet } of compound(data)) {
    if (type !== SENDER_REPORT || packet.length < SENDER_INFO_END) continue;
    return {
      ntpSeconds: packet.readUInt32BE(8),
      ntpFraction: packet.readUInt32BE(12),
      timestamp: packet.readUInt32BE(16),
    };
  }
  return undefined;
}

/**
 * Missing packets, key frame requests and loss counts that a viewer reports (RFC 4585 sections 6.2.1 and 6.3.1, RFC
 * 5104 section 4.3.1, RFC 3550 section 6.4.2).
 */
export function parseFeedback(data: Buffer): Feedback[] {
  const feedback: Feedback[] = [];
  for (const { type, count, packet } of compound(data)) {
    if (type === TRANSPORT_FEEDBACK && count === GENERIC_NACK && packet.length >= 12) {
      feedback.push({ kind: 'nack', ssrc: packet.readUInt32BE(8), sequences: nackedSequences(packet) });
    } else if (type === PAYLOAD_FEEDBACK && count === PICTURE_LOSS && packet.length >= 12) {
      feedback.push({ kind: 'keyFrame', ssrc: packet.readUInt32BE(8) });
    } else if (type === PAYLOAD_FEEDBACK && count === FULL_INTRA_REQUEST && packet.length >= 16) {
      feedback.push({ kind: 'keyFrame', ssrc: packet.readUInt32BE(12) });
    } else if (type === RECEIVER_REPORT) {
      for (let i = 0, at = 8; i < count && at + REPORT_BLOCK <= packet.length; i++, at += REPORT_BLOCK) {
        // 24 bits, signed: duplicates can make it negative.
        const lost = packet.readIntBE(at + 5, 3);
        feedback.push({
          kind: 'report',
          ssrc: packet.readUInt32BE(at),
          lost: Math.max(0, lost),
          lostShare: packet[at + 4]! / 256,
        });
      }
    }
  }
  return feedback;
}

function nackedSequences(packet: Buffer): number[] {
  const sequences: number[] = [];
  for (let at = 12; at + 4 <= packet.length; at += 4) {
    const first = packet.readUInt16BE(at);
    const mask = packet.readUInt16BE(at + 2);
    sequences.push(first);
    for (let bit = 0; bit < 16; bit++) if (mask & (1 << bit)) sequences.push((first + bit + 1) & 0xffff);
  }
  return sequences;
}

/** A compound packet of sender report and CNAME, which tells the viewer which tracks belong together. */
export function writeSenderReport(
  ssrc: number,
  point: ClockPoint,
  sent: { readonly packets: number; readonly octets: number },
  cname: string,
): Buffer {
  const name = Buffer.from(cname, 'latin1');
  // SSRC, item type and length, name, at least one null octet, up to a multiple of four.
  const chunk = (4 + 2 + name.length + 4) & ~3;
  const data = Buffer.alloc(SENDER_INFO_END + 4 + chunk);
  data[0] = 0x80;
  data[1] = SENDER_REPORT;
  data.writeUInt16BE(SENDER_INFO_END / 4 - 1, 2);
  data.writeUInt32BE(ssrc, 4);
  data.writeUInt32BE(point.ntpSeconds, 8);
  data.writeUInt32BE(point.ntpFraction, 12);
  data.writeUInt32BE(point.timestamp, 16);
  data.writeUInt32BE(sent.packets >>> 0, 20);
  data.writeUInt32BE(sent.octets >>> 0, 24);
  data[28] = 0x81;
  data[29] = SOURCE_DESCRIPTION;
  data.writeUInt16BE(chunk / 4, 30);
  data.writeUInt32BE(ssrc, 32);
  data[36] = 1;
  data[37] = name.length;
  name.copy(data, 38);
  return data;
}

/** A receiver report without figures (RFC 3550 section 6.4.2): shows a camera that its receiver is alive. */
export function writeReceiverReport(ssrc = randomBytes(4).readUInt32BE()): Buffer {
  const data = Buffer.alloc(8 + 16);
  data[0] = 0x80;
  data[1] = RECEIVER_REPORT;
  data.writeUInt16BE(1, 2);
  data.writeUInt32BE(ssrc, 4);
  data[8] = 0x81;
  data[9] = SOURCE_DESCRIPTION;
  data.writeUInt16BE(3, 10);
  data.writeUInt32BE(ssrc, 12);
  // CNAME of four letters, and the null octets that end the chunk.
  data[16] = 1;
  data[17] = 4;
  data.write(randomBytes(2).toString('hex'), 18, 'latin1');
  return data;
}

/** The statistics of one stream in a receiver report. */
interface Reception {
  readonly ssrc: number;
  /** Cycles in the upper, sequence number in the lower 16 bits. */
  readonly highestSequence: number;
  /** Middle 32 bits of the NTP time of the last sender report, 0 before the first. */
  readonly lastReport: number;
  /** Time since that report, in 1/65536 s. */
  readonly delay: number;
}

/** A receiver report for a stream without loss (RFC 3550 section 6.4.2), as over loopback. */
export function writeReception(ssrc: number, { ssrc: of, ...reception }: Reception): Buffer {
  const data = Buffer.alloc(8 + REPORT_BLOCK);
  data[0] = 0x81;
  data[1] = RECEIVER_REPORT;
  data.writeUInt16BE(data.length / 4 - 1, 2);
  data.writeUInt32BE(ssrc, 4);
  data.writeUInt32BE(of, 8);
  data.writeUInt32BE(reception.highestSequence >>> 0, 16);
  data.writeUInt32BE(reception.lastReport >>> 0, 24);
  data.writeUInt32BE(reception.delay >>> 0, 28);
  return data;
}

/** Asks for a key frame: picture loss indication (RFC 4585 section 6.3.1). @param of the stream's SSRC */
export function writePictureLoss(ssrc: number, of: number): Buffer {
  const data = Buffer.alloc(12);
  data[0] = 0x80 | PICTURE_LOSS;
  data[1] = PAYLOAD_FEEDBACK;
  data.writeUInt16BE(data.length / 4 - 1, 2);
  data.writeUInt32BE(ssrc, 4);
  data.writeUInt32BE(of, 8);
  return data;
}

/**
 * Asks for a key frame if the remote party does not know PLI: full intra request (RFC 5104 section 4.3.1). @param count
 * 8 bits
 */
export function writeFullIntraRequest(ssrc: number, of: number, count: number): Buffer {
  const data = Buffer.alloc(20);
  data[0] = 0x80 | FULL_INTRA_REQUEST;
  data[1] = PAYLOAD_FEEDBACK;
  data.writeUInt16BE(data.length / 4 - 1, 2);
  data.writeUInt32BE(ssrc, 4);
  data.writeUInt32BE(of, 12);
  data[16] = count & 0xff;
  return data;
}

/** The bit rate that a browser may send (draft-alvestrand-rmcat-remb-03). @param bitrate in bit/s */
export function writeBitrateLimit(ssrc: number, of: number, bitrate: number): Buffer {
  const data = Buffer.alloc(24);
  data[0] = 0x80 | APPLICATION_LAYER;
  data[1] = PAYLOAD_FEEDBACK;
  data.writeUInt16BE(data.length / 4 - 1, 2);
  data.writeUInt32BE(ssrc, 4);
  data.write('REMB', 12, 'latin1');
  let exponent = 0;
  let mantissa = Math.floor(bitrate);
  for (; mantissa > 0x3ffff; exponent++) mantissa >>>= 1;
  data[16] = 1;
  data.writeUIntBE((exponent << 18) | mantissa, 17, 3);
  data.writeUInt32BE(of, 20);
  return data;
}

/** Says that a stream has ended (RFC 3550 section 6.6). */
export function writeGoodbye(ssrc: number): Buffer {
  const data = Buffer.alloc(8);
  data[0] = 0x81;
  data[1] = GOODBYE;
  data.writeUInt16BE(1, 2);
  data.writeUInt32BE(ssrc, 4);
  return data;
}

/** A Unix time in milliseconds as NTP, for tracks whose camera sends no report. */
export function clockPointAt(unixMs: number, timestamp: number): ClockPoint {
  const seconds = Math.floor(unixMs / 1000);
  return {
    ntpSeconds: (seconds + NTP_OFFSET) >>> 0,
    ntpFraction: Math.floor(((unixMs - seconds * 1000) / 1000) * 2 ** 32) >>> 0,
    timestamp,
  };
}
