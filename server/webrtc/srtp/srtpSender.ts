import { randomBytes } from 'node:crypto';
import type { BufferPool } from '../bufferPool.ts';
import type { GcmCipher } from '../driver.ts';
import { type ClockPoint, writeSenderReport } from '../rtp/rtcp.ts';
import { SRTP_PAYLOAD_LIMIT, SrtpWriter, type SrtpWriting } from './srtpWriter.ts';

export type TrackKind = 'video' | 'audio';

/** One track of a sender. */
export interface SenderTrack {
  readonly payloadType: number;
  /** Packets stored for retransmission, a power of two. */
  readonly ringSize: number;
  /** Header extension of each packet: 4 or 8 bytes. */
  readonly extension?: Buffer | undefined;
}

/** Sends video and sound to one browser, encrypted with the key of its handshake once there is one. */
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

  /** Call it once; a missing track cannot be written. @param writing its cipher is closed with the sender */
  open(
    slabs: BufferPool,
    writing: SrtpWriting,
    tracks: Readonly<Record<TrackKind, SenderTrack | undefined>>,
  ): void {
    const writerOf = (kind: TrackKind): SrtpWriter | undefined => {
      const track = tracks[kind];
      if (track === undefined) return undefined;
      // Not near the end: with a loss at an early wrap-around the receiver would miss it (RFC 3711 section 3.3.1).
      const firstSequence = randomBytes(2).readUInt16BE() & 0x7fff;
      return new SrtpWriter({ ...track, ssrc: this.ssrcs[kind], firstSequence }, writing, slabs);
    };
    this.#cipher = writing.cipher;
    this.#writers = { video: writerOf('video'), audio: writerOf('audio') };
  }

  /** Releases memory and key; no more writing. Safe to call twice. */
  close(): void {
    for (const writer of Object.values(this.#writers)) writer?.close();
    this.#writers = {};
    this.#cipher?.close();
  }

  /**
   * The next packet of a track, overwritten `ringSize` packets later; undefined before `open`, for a track that is not
   * sent, or for a payload of more than SRTP_PAYLOAD_LIMIT bytes.
   */
  write(kind: TrackKind, timestamp: number, marker: boolean, payload: Buffer): Buffer | undefined {
    if (payload.length > SRTP_PAYLOAD_LIMIT) return undefined;
    return this.#writers[kind]?.write(timestamp, marker, payload);
  }

  /** Another header extension from the next packet on, of the same length; only for a track that has one. */
  extend(kind: TrackKind, extension: Buffer): void {
    this.#writers[kind]?.extend(extension);
  }

  /** Skips sequence numbers, so that the receiver knows about packets that are already lost. @param count below 2^15 */
  skip(kind: TrackKind, count: number): void {
    this.#writers[kind]?.skip(count);
  }

  /** Packets and payload bytes so far. */
  sent(kind: TrackKind): { packets: number; octets: number } {
    return this.#writers[kind]?.sent ?? { packets: 0, octets: 0 };
  }

  /** An unencrypted sender report that ties a track's timestamps to the time of day; undefined before `open`. */
  report(kind: TrackKind, point: ClockPoint): Buffer | undefined {
    const writer = this.#writers[kind];
    return writer && writeSenderReport(writer.ssrc, point, writer.sent, this.cname);
  }

  /** A video packet exactly as it was sent before. */
  written(sequence: number): Buffer | undefined {
    return this.#writers.video?.written(sequence);
  }

  /** Whether a video packet is too old to be sent again. */
  hasForgotten(sequence: number): boolean {
    return this.#writers.video?.hasForgotten(sequence) ?? false;
  }
}
