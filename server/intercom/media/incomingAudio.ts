import { type ClockPoint, parseSenderReport } from '../../webrtc/rtp/rtcp.ts';
import { parseRtpPacket, type RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { TimestampMap } from '../../webrtc/rtp/timestampMap.ts';
import { pageCodec } from './codecs.ts';
import type { PagePeer } from './page/pagePeer.ts';
import { DigitReader } from './rtp/dtmf.ts';
import type { AudioTerms } from './sdp/terms.ts';

/** Packets of another codec of the description, in a row, after which the call changes to it: 200 ms. */
const FOLLOW_AFTER = 10;

/** A larger step of the sequence numbers means that the remote party restarted its stream, not a loss. */
const MAX_GAP = 512;

/** The first payload type without a fixed meaning (RFC 3551 section 6). */
const FIRST_DYNAMIC = 96;

interface IncomingAudioOptions {
  readonly peer: () => PagePeer | undefined;
  readonly onDigit: (digit: string) => void;
  /** The remote party sends another codec of its description. */
  readonly onOtherCodec: (terms: AudioTerms) => void;
}

/** Sound from the remote party to the intercom page, without DTMF digits. */
export class IncomingAudio {
  readonly #options: IncomingAudioOptions;
  #terms: AudioTerms | undefined;
  #isHeard = false;
  #timestamps = new TimestampMap(8000);
  #digits = new DigitReader();
  #ssrc: number | undefined;
  #next: number | undefined;
  #point: ClockPoint | undefined;
  /** Packets in a row that are of another codec. */
  #strange = 0;

  constructor(options: IncomingAudioOptions) {
    this.#options = options;
  }

  /** @param isHeard false: no sound is played in the room and no digits are accepted. */
  setTerms(terms: AudioTerms, isHeard: boolean): void {
    this.#isHeard = isHeard;
    const { clockRate } = pageCodec(terms.codec);
    if (this.#terms === undefined || pageCodec(this.#terms.codec).clockRate !== clockRate) {
      this.#timestamps = new TimestampMap(clockRate);
    }
    this.#strange = 0;
    this.#terms = terms;
  }

  /** Takes a packet of the remote party. */
  push(data: Buffer): void {
    const packet = parseRtpPacket(data);
    const terms = this.#terms;
    if (packet === undefined || terms?.receives !== true || !this.#isHeard) return;
    this.#follow(data.readUInt32BE(8));
    const ahead = this.#next === undefined ? 0 : ((packet.sequence - this.#next) << 16) >> 16;
    // Too late: the intercom page has already played on. Packets do not wait for a late one either: that would
    // only add delay.
    if (ahead < 0 && ahead > -MAX_GAP) return;
    this.#next = (packet.sequence + 1) & 0xffff;
    const { payloadType, timestamp, marker, payload } = packet;
    if (isEvent(terms, packet)) {
      const digit = this.#digits.read(timestamp, payload);
      if (digit !== undefined) this.#options.onDigit(digit);
      return;
    }
    if (!terms.receivedTypes.has(payloadType)) {
      this.#meetOther(terms, payloadType);
      return;
    }
    this.#strange = 0;
    const peer = this.#options.peer();
    if (ahead > 0 && ahead < MAX_GAP) peer?.skip('audio', ahead);
    const sound = terms.codec.conversion?.toPage(payload) ?? payload;
    peer?.sendAudio(this.#timestamps.map(this.#pageTime(timestamp)), marker, sound);
  }

  /** An answer may name several codecs, and its sender may change between them with each packet. */
  #meetOther(terms: AudioTerms, payloadType: number): void {
    const other = terms.others.find(({ receivedTypes }) => receivedTypes.has(payloadType));
    if (other === undefined || ++this.#strange < FOLLOW_AFTER) return;
    this.#strange = 0;
    const others = [terms, ...terms.others].filter((one) => one !== other);
    this.#options.onOtherCodec({ ...other, others });
  }

  #pageTime(timestamp: number): number {
    return Math.floor(timestamp / (this.#terms?.codec.conversion?.factor ?? 1));
  }

  onRtcp(data: Buffer): void {
    this.#point = parseSenderReport(data) ?? this.#point;
  }

  /** The intercom page's timestamps on the remote party's clock, and on ours. */
  get points(): { readonly theirs: ClockPoint | undefined; readonly ours: ClockPoint | undefined } {
    const timestamp = this.#point && this.#timestamps.translate(this.#pageTime(this.#point.timestamp));
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

/**
 * Whether it is a digit: of a type for events or, because devices send such without a word, of one that no description
 * names. A number that one description gives to sound and the other one to events is an event if it has the length of one.
 */
function isEvent(
  { eventTypes, receivedTypes, namedTypes }: AudioTerms,
  { payloadType, payload }: RtpPacket,
): boolean {
  const isLikeOne = payload.length === 4 && (payload[1]! & 0x40) === 0;
  if (eventTypes.has(payloadType)) return isLikeOne || !receivedTypes.has(payloadType);
  return isLikeOne && payloadType >= FIRST_DYNAMIC && !namedTypes.has(payloadType);
}
