import type { GcmCipher } from '../driver.ts';
import { fillGcmIv } from './srtpWriter.ts';

/** Packets before the newest one that are still accepted (RFC 3711 section 3.3.2). */
const WINDOW = 64;
const WINDOW_MASK = (1n << BigInt(WINDOW)) - 1n;

/**
 * The packet index of one SRTP stream, 48 bits, or of one SRTCP stream, 31 bits, and which packets have already arrived
 * (RFC 3711 sections 3.3.1 and 3.3.2).
 */
class PacketIndex {
  #newest: number | undefined;
  /** Bit n: the packet n before the newest was accepted. */
  #taken = 0n;

  /** The index of a sequence number; undefined if that packet has already arrived or is too old. */
  guess(sequence: number): number | undefined {
    if (this.#newest === undefined) return sequence;
    const ahead = ((sequence - this.#newest) << 16) >> 16;
    const index = this.#newest + ahead;
    return index >= 0 && this.isNew(index) ? index : undefined;
  }

  /** Whether the packet of this index has not arrived and is not too old. */
  isNew(index: number): boolean {
    const age = this.#newest === undefined ? -1 : this.#newest - index;
    return age < 0 || (age < WINDOW && ((this.#taken >> BigInt(age)) & 1n) === 0n);
  }

  /** The packet of this index was genuine. */
  accept(index: number): void {
    const newest = this.#newest ?? index;
    const ahead = index - newest;
    if (ahead >= 0) {
      const older = ahead < WINDOW ? this.#taken << BigInt(ahead) : 0n;
      this.#taken = (older | 1n) & WINDOW_MASK;
      this.#newest = index;
    } else this.#taken |= 1n << BigInt(-ahead);
  }
}

/** The indexes of the streams of one remote side, by SSRC. Too many make it forget the oldest. */
export class PacketIndexes {
  readonly #most: number;
  readonly #streams = new Map<number, PacketIndex>();

  /** @param most streams that are remembered */
  constructor(most: number) {
    this.#most = most;
  }

  /** The index of a stream; one that is not known is remembered only once a packet of it was genuine. */
  of(ssrc: number): PacketIndex {
    return this.#streams.get(ssrc) ?? new PacketIndex();
  }

  /** The packet of this index, of a stream from `of`, was genuine. */
  accept(ssrc: number, stream: PacketIndex, index: number): void {
    stream.accept(index);
    if (this.#streams.has(ssrc)) return;
    const oldest = this.#streams.keys().next().value;
    if (this.#streams.size >= this.#most && oldest !== undefined) this.#streams.delete(oldest);
    this.#streams.set(ssrc, stream);
  }
}

const HEADER = 12;
const TAG = 16;
/** Most streams of one browser that are remembered; it makes a new one when its microphone or camera restarts. */
const MAX_STREAMS = 32;

/** Decrypts a browser's SRTP packets, which use AES-128-GCM (RFC 7714). */
export class SrtpReader {
  readonly #cipher: GcmCipher;
  readonly #salt: Buffer;
  readonly #streams = new PacketIndexes(MAX_STREAMS);

  /** @param cipher with the key that belongs to `salt` of 12 bytes; its creator closes it. */
  constructor(cipher: GcmCipher, salt: Buffer) {
    this.#cipher = cipher;
    this.#salt = Buffer.from(salt.subarray(0, 12));
  }

  /** @returns the RTP packet; undefined if it was not sealed with this key, or is a repetition. */
  open(packet: Buffer): Buffer | undefined {
    const start = headerLength(packet);
    if (start === undefined || packet.length < start + TAG) return undefined;
    const sequence = packet.readUInt16BE(2);
    const ssrc = packet.readUInt32BE(8);
    const stream = this.#streams.of(ssrc);
    const index = stream.guess(sequence);
    if (index === undefined) return undefined;
    const rollover = Math.floor(index / 0x10000);
    fillGcmIv(this.#cipher.iv, this.#salt, ssrc, rollover, sequence);
    const opened = this.#cipher.open(packet, start);
    if (opened === undefined) return undefined;
    this.#streams.accept(ssrc, stream, index);
    return opened;
  }
}

/** Bytes before the payload: fixed header, CSRCs and extension; undefined if it is not RTP. */
export function headerLength(packet: Buffer): number | undefined {
  if (packet.length < HEADER || packet[0]! >> 6 !== 2) return undefined;
  let length = HEADER + 4 * (packet[0]! & 0x0f);
  if ((packet[0]! & 0x10) !== 0) {
    if (packet.length < length + 4) return undefined;
    length += 4 + 4 * packet.readUInt16BE(length + 2);
  }
  return packet.length < length ? undefined : length;
}
