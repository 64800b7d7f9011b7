import { randomBytes } from 'node:crypto';
import type { GcmCipher } from '../driver.ts';
import { type ClockPoint, writeSenderReport } from '../rtp/rtcp.ts';
import type { LoopbackSocket } from './loopbackSocket.ts';
import { SRTP_PAYLOAD_LIMIT, type SrtpSessionKey, SrtpWriter } from './srtpWriter.ts';

export type TrackKind = 'video' | 'audio';

/** One track of a sender. */
export interface SenderTrack {
  readonly payloadType: number;
  /** Packets kept for retransmission, a power of two. */
  readonly ringSize: number;
}

/** What one browser is sent: picture and sound under the key of its handshake, as soon as there is one. */
export class SrtpSender {
  readonly cname = randomBytes(8).toString('hex');
  readonly ssrcs: Readonly<Record<TrackKind, number>>;
  #cipher: GcmCipher | undefined;
  #writers: Partial<Record<TrackKind, SrtpWriter | undefined>> = {};

  constructor() {
    const video = randomBytes(4).readUInt32BE();
    // Any other number: the two must differ.
    this.ssrcs = { video, audio: (video + 1 + randomBytes(3).readUIntBE(0, 3)) >>> 0 };
  }

  /** To be called once; a track that is left out cannot be written. */
  open(
    { driver, slabs }: LoopbackSocket,
    { key, salt }: SrtpSessionKey,
    tracks: Readonly<Record<TrackKind, SenderTrack | undefined>>,
  ): void {
    const cipher = driver.createCipher(key);
    const writerOf = (kind: TrackKind): SrtpWriter | undefined => {
      const track = tracks[kind];
      if (track === undefined) return undefined;
      // Not near the end: a loss at an early wrap-around would hide it from the receiver (RFC 3711 section 3.3.1).
      const firstSequence = randomBytes(2).readUInt16BE() & 0x7fff;
      return new SrtpWriter({ ...track, ssrc: this.ssrcs[kind], firstSequence }, cipher, salt, slabs);
    };
    this.#cipher = cipher;
    this.#writers = { video: writerOf('video'), audio: writerOf('audio') };
  }

  /** Gives memory and key back; nothing can be written any more. Safe to call twice. */
  close(): void {
    for (const writer of Object.values(this.#writers)) writer?.close();
    this.#writers = {};
    this.#cipher?.close();
  }

  /**
   * The next packet of a track, overwritten `ringSize` packets later; undefined before `open`, for a track that is not
   * sent, and for a payload of more than SRTP_PAYLOAD_LIMIT bytes.
   */
  write(kind: TrackKind, timestamp: number, marker: boolean, payload: Buffer): Buffer | undefined {
    if (payload.length > SRTP_PAYLOAD_LIMIT) return undefined;
    return this.#writers[kind]?.write(timestamp, marker, payload);
  }

  /** Leaves numbers out, so that the receiver knows of packets that are lost already. @param count below 2^15 */
  skip(kind: TrackKind, count: number): void {
    this.#writers[kind]?.skip(count);
  }

  /** Packets and payload bytes so far. */
  sent(kind: TrackKind): { packets: number; octets: number } {
    return this.#writers[kind]?.sent ?? { packets: 0, octets: 0 };
  }

  /** A sender report in the clear, which ties a track's timestamps to the time of day; undefined before `open`. */
  report(kind: TrackKind, point: ClockPoint): Buffer | undefined {
    const writer = this.#writers[kind];
    return writer && writeSenderReport(writer.ssrc, point, writer.sent, this.cname);
  }

  /** A packet of the picture as it was sent: who missed it cannot tell the difference. */
  written(sequence: number): Buffer | undefined {
    return this.#writers.video?.written(sequence);
  }

  /** Whether a packet of the picture was sent so long ago that it cannot be sent again. */
  hasForgotten(sequence: number): boolean {
    return this.#writers.video?.hasForgotten(sequence) ?? false;
  }
}
