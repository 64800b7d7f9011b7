import { randomInt } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';

/** Most voice that waits for its camera, in milliseconds; the oldest is dropped. */
const LONGEST_WAIT_MS = 1_000;
/** Voice that has waited goes out this much faster than it was spoken. */
const CATCH_UP = 2;
/** What is left of a group goes out after this pause, in milliseconds. */
const FLUSH_MS = 100;
/** The length of the packets of browsers. */
const PACKET_MS = 20;
/** A larger step of the timestamps, in milliseconds, means a new stream. */
const MAX_STEP_MS = 10_000;
const FIXED_HEADER = 12;
const VERSION_2 = 0x80;
const MARKER = 0x80;

/** The format that a camera takes. */
export interface VoiceFormat {
  /** Ticks of the RTP timestamp per second. */
  readonly clockRate: number;
  /** Bytes per packet for a codec with one byte per tick; undefined: packets stay as they are. */
  readonly packetBytes: number | undefined;
}

interface VoicePacket {
  readonly timestamp: number;
  readonly payload: Buffer;
  readonly ms: number;
}

/**
 * Voice on its way to a camera: groups it to packets of the size that the camera wants, and sends them as one stream of RTP.
 * What comes before `open` waits; what has waited goes out paced, because cameras have short buffers.
 */
export class VoiceStream {
  readonly #clock: Clock;
  readonly #format: VoiceFormat;
  readonly #ssrc = randomInt(2 ** 32);
  #sequence = randomInt(2 ** 16);
  readonly #waiting: VoicePacket[] = [];
  #waitingMs = 0;
  /** The beginning of a group. */
  #group: Buffer = Buffer.alloc(0);
  #groupAt = 0;
  /** From timestamps of the page to ours. */
  #offset: number | undefined;
  /** Our timestamp at the end of the last packet of the page, and when it came. */
  #end = { timestamp: randomInt(2 ** 32), at: 0 };
  #send: ((packet: Buffer) => void) | undefined;
  #payloadType = 0;
  /** When the next packet may go out. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #isFirst = true;
  #cancelDue = (): void => {};
  #cancelFlush = (): void => {};

  constructor(format: VoiceFormat, clock: Clock) {
    this.#format = format;
    this.#clock = clock;
  }

  /** The camera hears from now on. */
  open(payloadType: number, send: (packet: Buffer) => void): void {
    this.#payloadType = payloadType;
    this.#send = send;
    this.#drain();
  }

  /** Ends for good. */
  stop(): void {
    this.#send = undefined;
    this.#waiting.length = 0;
    this.#cancelDue();
    this.#cancelFlush();
  }

  /** Takes a packet of the page; one that comes late is dropped. */
  push({ timestamp, payload }: Pick<RtpPacket, 'timestamp' | 'payload'>): void {
    const { packetBytes } = this.#format;
    const ticks = packetBytes === undefined ? this.#ticks(PACKET_MS) : payload.length;
    const mapped = this.#map(timestamp);
    if (mapped === undefined) return;
    const isGap = mapped !== this.#end.timestamp;
    this.#end = { timestamp: (mapped + ticks) >>> 0, at: this.#clock.now() };
    if (packetBytes === undefined) {
      this.#add(mapped, payload, PACKET_MS);
      return;
    }
    if (isGap) this.#flush();
    if (this.#group.length === 0) this.#groupAt = mapped;
    this.#group = Buffer.concat([this.#group, payload]);
    while (this.#group.length >= packetBytes) this.#cut(packetBytes);
    this.#cancelFlush();
    if (this.#group.length > 0) this.#cancelFlush = this.#clock.after(FLUSH_MS, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush();
    if (this.#group.length > 0) this.#cut(this.#group.length);
  }

  #cut(length: number): void {
    this.#add(this.#groupAt, this.#group.subarray(0, length), (length * 1000) / this.#format.clockRate);
    this.#group = this.#group.subarray(length);
    this.#groupAt = (this.#groupAt + length) >>> 0;
  }

  #add(timestamp: number, payload: Buffer, ms: number): void {
    this.#waiting.push({ timestamp, payload, ms });
    this.#waitingMs += ms;
    while (this.#waitingMs > LONGEST_WAIT_MS && this.#waiting.length > 1)
      this.#waitingMs -= this.#waiting.shift()!.ms;
    this.#drain();
  }

  #drain(): void {
    this.#cancelDue();
    while (this.#send !== undefined && this.#waiting.length > 0) {
      const now = this.#clock.now();
      if (now < this.#dueAt) {
        this.#cancelDue = this.#clock.after(this.#dueAt - now, () => this.#drain());
        return;
      }
      const packet = this.#waiting.shift()!;
      this.#waitingMs -= packet.ms;
      this.#dueAt = now + packet.ms / CATCH_UP;
      this.#send(this.#write(packet));
    }
  }

  #write({ timestamp, payload }: VoicePacket): Buffer {
    const packet = Buffer.allocUnsafe(FIXED_HEADER + payload.length);
    packet[0] = VERSION_2;
    packet[1] = (this.#isFirst ? MARKER : 0) | this.#payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(timestamp, 4);
    packet.writeUInt32BE(this.#ssrc, 8);
    payload.copy(packet, FIXED_HEADER);
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#isFirst = false;
    return packet;
  }

  /** @returns our timestamp; undefined for a packet that is late */
  #map(timestamp: number): number | undefined {
    const { timestamp: end, at } = this.#end;
    if (this.#offset !== undefined) {
      const mapped = (timestamp + this.#offset) >>> 0;
      const ahead = (mapped - end) | 0;
      const most = this.#ticks(MAX_STEP_MS);
      if (ahead >= 0 && ahead < most) return mapped;
      if (ahead < 0 && ahead > -most) return undefined;
    }
    // A new stream goes on by the time that has passed.
    const passed = this.#offset === undefined ? 0 : this.#ticks(this.#clock.now() - at);
    const mapped = (end + passed) >>> 0;
    this.#offset = (mapped - timestamp) >>> 0;
    return mapped;
  }

  #ticks(ms: number): number {
    return Math.round((this.#format.clockRate / 1000) * ms);
  }
}

/** Logarithmic step of the lower band of G.722 by the four bits of a sample, in the order of ITU-T G.722 tables 21 and 22. */
const G722_STEPS = [-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60];
const G722_LARGEST = 18_432;
/** Below this step, twice the smallest one, there is no sound. */
const G722_SILENT = 2_048;
/** An Opus packet of up to so many bytes has no sound (RFC 6716 section 3.1). */
const OPUS_EMPTY = 3;

/** Tells digital silence: what a muted or missing microphone sends. One for each stream. */
export class SilenceCheck {
  readonly #isSilent: (payload: Buffer) => boolean;
  #g722Step = 0;
  #last: Buffer = Buffer.alloc(0);

  /** @param rtpmap such as `PCMU/8000` */
  constructor(rtpmap: string) {
    const checks: Readonly<Record<string, (payload: Buffer) => boolean>> = {
      PCMU: (payload) => payload.every((byte) => (byte & 0x7f) === 0x7f),
      PCMA: (payload) => payload.every((byte) => (byte & 0x7f) === 0x55),
      G722: (payload) => this.#isSilentG722(payload),
      OPUS: (payload) => this.#isSilentOpus(payload),
    };
    this.#isSilent = checks[rtpmap.split('/')[0]!.toUpperCase()] ?? (() => false);
  }

  isSilent(payload: Buffer): boolean {
    return this.#isSilent(payload);
  }

  /** Follows the step size of the lower band alone. */
  #isSilentG722(payload: Buffer): boolean {
    let isSilent = true;
    for (const byte of payload) {
      const step = ((this.#g722Step * 127) >> 7) + G722_STEPS[(byte & 0x3f) >> 2]!;
      this.#g722Step = Math.max(0, Math.min(step, G722_LARGEST));
      if (this.#g722Step >= G722_SILENT) isSilent = false;
    }
    return isSilent;
  }

  /** The encoder of silence comes to rest: packet after packet is the same. */
  #isSilentOpus(payload: Buffer): boolean {
    const isSame = payload.equals(this.#last);
    this.#last = Buffer.from(payload);
    return isSame || payload.length <= OPUS_EMPTY;
  }
}
