import type { BufferPool } from '../bufferPool.ts';
import type { GcmCipher } from '../driver.ts';

const HEADER = 12;
const TAG = 16;
/** Most bytes of a header extension. */
const EXTENSION = 8;
/** Bytes of a slot: header, a payload of at most 1,200 bytes, tag, and room. */
const SLOT = 1600;
/** Largest payload that fits into a slot. */
export const SRTP_PAYLOAD_LIMIT = SLOT - HEADER - EXTENSION - TAG;

/** Session keys of one direction, derived from the DTLS handshake (RFC 3711 section 4.3). */
export interface SrtpSessionKey {
  readonly key: Buffer;
  /** 12 bytes. */
  readonly salt: Buffer;
}

/** How packets are encrypted. */
export interface SrtpWriting {
  /** Its creator closes it. */
  readonly cipher: GcmCipher;
  /** 12 bytes that go with its key; nothing for a cipher that makes the vectors itself. */
  readonly salt?: Buffer;
  /** Bytes of the tag that `cipher` writes, at most 16, which GCM has. */
  readonly tagLength?: number;
}

interface SrtpTrack {
  readonly ssrc: number;
  readonly payloadType: number;
  /** First sequence number, 16 bits. */
  readonly firstSequence: number;
  /** Packets stored for retransmission, a power of two. */
  readonly ringSize: number;
  /** Header extension of each packet (RFC 3550 section 5.3.1): 4 or 8 bytes. */
  readonly extension?: Buffer | undefined;
}

/**
 * Writes one track's SRTP packets with AES-128-GCM (RFC 7714) into a ring of fixed slots: no memory is allocated per
 * packet, and a lost packet can be sent again unchanged.
 */
export class SrtpWriter {
  readonly #track: SrtpTrack;
  readonly #cipher: GcmCipher;
  readonly #salt: Buffer | undefined;
  readonly #tagLength: number;
  readonly #slabs: BufferPool;
  readonly #header: number;
  #extension: Buffer | undefined;
  #slab: Buffer;
  /** Bytes of the packet in each slot; 0: none was written there. */
  readonly #lengths: Uint16Array;
  /**
   * Views of slots as long as the longest packet so far, which most of a picture's are. For others a view lives only until it is
   * sent: stored ones would be replaced all the time, as work for the garbage collector.
   */
  readonly #views: (Buffer | undefined)[];
  #longest = 0;
  #sequence: number;
  #rollover = 0;
  #packets = 0;
  #octets = 0;

  /** @param slabs source of the ring's memory. */
  constructor(track: SrtpTrack, { cipher, salt, tagLength = TAG }: SrtpWriting, slabs: BufferPool) {
    this.#track = track;
    this.#cipher = cipher;
    this.#salt = salt && Buffer.from(salt.subarray(0, 12));
    this.#tagLength = tagLength;
    this.#slabs = slabs;
    this.#extension = track.extension;
    this.#header = HEADER + (track.extension?.length ?? 0);
    this.#slab = slabs.take(track.ringSize * SLOT);
    this.#lengths = new Uint16Array(track.ringSize);
    this.#views = new Array(track.ringSize);
    this.#sequence = track.firstSequence;
  }

  /** Returns the ring's memory; no more writing or finding. Safe to call twice. */
  close(): void {
    if (this.#slab.length > 0) this.#slabs.giveBack(this.#slab);
    this.#slab = Buffer.alloc(0);
    this.#lengths.fill(0);
    this.#views.fill(undefined);
  }

  get ssrc(): number {
    return this.#track.ssrc;
  }

  /** Counts of a sender report: packets and payload bytes. */
  get sent(): { packets: number; octets: number } {
    return { packets: this.#packets, octets: this.#octets };
  }

  /** Another header extension from the next packet on, of the same length; only for a track that has one. */
  extend(extension: Buffer): void {
    if (this.#extension?.length === extension.length) this.#extension = extension;
  }

  /** The next packet. The buffer is overwritten `ringSize` packets later. @param payload at most SRTP_PAYLOAD_LIMIT bytes. */
  write(timestamp: number, marker: boolean, payload: Buffer): Buffer {
    const sequence = this.#sequence;
    const slot = sequence & (this.#track.ringSize - 1);
    const header = this.#header;
    const length = header + payload.length + this.#tagLength;
    const packet = this.#view(slot, length);
    if (this.#lengths[slot] === 0) {
      packet[0] = this.#extension === undefined ? 0x80 : 0x90;
      packet.writeUInt32BE(this.#track.ssrc, 8);
    }
    this.#lengths[slot] = length;
    packet[1] = (marker ? 0x80 : 0) | this.#track.payloadType;
    packet.writeUInt16BE(sequence, 2);
    packet.writeUInt32BE(timestamp, 4);
    if (this.#extension !== undefined) packet.set(this.#extension, HEADER);
    packet.set(payload, header);
    if (this.#salt !== undefined)
      fillGcmIv(this.#cipher.iv, this.#salt, this.#track.ssrc, this.#rollover, sequence);
    this.#cipher.seal(this.#slab, slot * SLOT, header, payload.length);
    this.#packets++;
    this.#octets += payload.length;
    this.skip(1);
    return packet;
  }

  /** Skips sequence numbers, so that the receiver knows about packets that are already lost. @param count below 2^15 */
  skip(count: number): void {
    const next = this.#sequence + count;
    this.#sequence = next & 0xffff;
    if (next > 0xffff) this.#rollover = (this.#rollover + 1) >>> 0;
  }

  /** A packet that was written before; undefined if it has left the ring. */
  written(sequence: number): Buffer | undefined {
    const slot = sequence & (this.#track.ringSize - 1);
    const length = this.#lengths[slot]!;
    if (length === 0 || this.#slab.readUInt16BE(slot * SLOT + 2) !== sequence) return undefined;
    return this.#view(slot, length);
  }

  #view(slot: number, length: number): Buffer {
    if (length > this.#longest) {
      this.#longest = length;
      this.#views.fill(undefined);
    }
    if (length < this.#longest) return this.#newView(slot, length);
    this.#views[slot] ??= this.#newView(slot, length);
    return this.#views[slot];
  }

  #newView(slot: number, length: number): Buffer {
    return this.#slab.subarray(slot * SLOT, slot * SLOT + length);
  }

  /** Whether a packet was written, but so long ago that it cannot be sent again. */
  hasForgotten(sequence: number): boolean {
    const age = (this.#sequence - sequence) & 0xffff;
    return age > this.#track.ringSize && age < 0x8000 && age <= this.#packets;
  }
}

/** The initialization vector of an SRTP packet (RFC 7714 section 8.1), written into `iv` of 12 bytes. */
export function fillGcmIv(iv: Buffer, salt: Buffer, ssrc: number, rollover: number, sequence: number): void {
  iv[0] = salt[0]!;
  iv[1] = salt[1]!;
  for (let i = 0; i < 4; i++) {
    iv[2 + i] = salt[2 + i]! ^ (ssrc >>> (24 - 8 * i));
    iv[6 + i] = salt[6 + i]! ^ (rollover >>> (24 - 8 * i));
  }
  iv[10] = salt[10]! ^ (sequence >>> 8);
  iv[11] = salt[11]! ^ sequence;
}
