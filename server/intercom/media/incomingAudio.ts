import { type ClockPoint, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { parseRtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../../webrtc/rtp/timestampMap.ts';
import type { PagePeer } from './page/pagePeer.ts';
import { DigitReader } from './rtp/dtmf.ts';
import type { AudioTerms } from './sdp/terms.ts';

/** A larger step of the sequence numbers means that the remote party restarted its stream, not a loss. */
const MAX_GAP = 512;

interface IncomingAudioOptions {
  readonly peer: () => PagePeer | undefined;
  readonly onDigit: (digit: string) => void;
}

/** Sound from the remote party to the intercom page; DTMF digits are taken out. */
export class IncomingAudio {
  readonly #options: IncomingAudioOptions;
  #terms: AudioTerms | undefined;
  #isAnswered = false;
  #timestamps = new TimestampMap(8000);
  #digits = new DigitReader();
  #ssrc: number | undefined;
  #next: number | undefined;
  #point: ClockPoint | undefined;

  constructor(options: IncomingAudioOptions) {
    this.#options = options;
  }

  /** @param isAnswered false until the answer: until then no sound is played in the room and no digits are accepted. */
  setTerms(terms: AudioTerms, isAnswered: boolean): void {
    this.#isAnswered = isAnswered;
    if (this.#terms?.codec.clockRate !== terms.codec.clockRate) {
      this.#timestamps = new TimestampMap(terms.codec.clockRate);
    }
    this.#terms = terms;
  }

  /** Takes a packet of the remote party. */
  push(data: Buffer): void {
    const packet = parseRtpPacket(data);
    const terms = this.#terms;
    if (packet === undefined || terms?.receives !== true || !this.#isAnswered) return;
    this.#follow(data.readUInt32BE(8));
    const ahead = this.#next === undefined ? 0 : ((packet.sequence - this.#next) << 16) >> 16;
    // Too late: the intercom page has already played on. Packets are not held back for a late one either: that would
    // only add delay.
    if (ahead < 0 && ahead > -MAX_GAP) return;
    this.#next = (packet.sequence + 1) & 0xffff;
    if (packet.payloadType === terms.dtmf?.payloadType) {
      const digit = this.#digits.read(packet.timestamp, packet.payload);
      if (digit !== undefined) this.#options.onDigit(digit);
      return;
    }
    if (packet.payloadType !== terms.payloadType) return;
    const peer = this.#options.peer();
    if (ahead > 0 && ahead < MAX_GAP) peer?.skip('audio', ahead);
    peer?.sendAudio(this.#timestamps.map(packet.timestamp), packet.marker, packet.payload);
  }

  onRtcp(data: Buffer): void {
    this.#point = parseSenderReport(data) ?? this.#point;
  }

  /** The intercom page's timestamps on the remote party's clock, and on ours. */
  get points(): { readonly theirs: ClockPoint | undefined; readonly ours: ClockPoint | undefined } {
    const timestamp = this.#point && this.#timestamps.translate(this.#point.timestamp);
    const theirs = timestamp === undefined ? undefined : { ...this.#point!, timestamp };
    return { theirs, ours: this.#timestamps.arrivalPoint() };
  }

  #follow(ssrc: number): void {
    if (this.#ssrc === ssrc) return;
    if (this.#ssrc !== undefined) this.#timestamps.restart();
    this.#ssrc = ssrc;
    this.#next = undefined;
    this.#point = undefined;
    this.#digits = new DigitReader();
  }
}
