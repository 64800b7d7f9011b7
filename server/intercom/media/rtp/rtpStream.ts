import { randomBytes } from 'node:crypto';
import {
  type ClockPoint,
  writeFullIntraRequest,
  writeGoodbye,
  writePictureLoss,
  writeReceiverReport,
  writeSenderReport,
} from '../../../webrtc/rtp/rtcp.ts';
import type { RtpLine } from './rtpLine.ts';

const HEADER = 12;

/** Our stream on one media line, with one SSRC and one series of sequence numbers for packets of any source. */
export class RtpStream {
  /** Never 0: peers read that as "none". */
  readonly ssrc = randomBytes(4).readUInt32BE() || 1;
  /** Offset added to the timestamps of the source. */
  readonly timestampBase = randomBytes(4).readUInt32BE();
  readonly #line: RtpLine;
  readonly #cname: string;
  // Starts in the lower half, so that SRTP cannot miss an early wrap-around (RFC 3711 section 3.3.1).
  #sequence = randomBytes(2).readUInt16BE() & 0x7fff;
  #packets = 0;
  #octets = 0;
  #intraRequests = 0;

  /** @param cname ties the streams of one call together for lip-sync. */
  constructor(line: RtpLine, cname: string) {
    this.#line = line;
    this.#cname = cname;
  }

  send(payloadType: number, marker: boolean, timestamp: number, payload: Buffer): void {
    const packet = Buffer.allocUnsafe(HEADER + payload.length);
    packet[0] = 0x80;
    packet[1] = (marker ? 0x80 : 0) | payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(timestamp >>> 0, 4);
    packet.writeUInt32BE(this.ssrc, 8);
    payload.copy(packet, HEADER);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#packets++;
    this.#octets += payload.length;
    this.#line.sendRtp(packet);
  }

  /** @param point undefined: nothing was sent recently, so the report is a receiver report. */
  report(point: ClockPoint | undefined): void {
    const sent = { packets: this.#packets, octets: this.#octets };
    this.#line.sendRtcp(
      point === undefined
        ? writeReceiverReport(this.ssrc)
        : writeSenderReport(this.ssrc, point, sent, this.#cname),
    );
  }

  /** @param of SSRC of the remote party's stream. @param byFir the remote party does not know PLI. */
  askForKeyFrame(of: number, byFir: boolean): void {
    this.#feedback(
      byFir ? writeFullIntraRequest(this.ssrc, of, ++this.#intraRequests) : writePictureLoss(this.ssrc, of),
    );
  }

  sayGoodbye(): void {
    this.#feedback(writeGoodbye(this.ssrc));
  }

  /** After the report, which must come first (RFC 3550 section 6.1). */
  #feedback(packet: Buffer): void {
    this.#line.sendRtcp(Buffer.concat([writeReceiverReport(this.ssrc), packet]));
  }
}
