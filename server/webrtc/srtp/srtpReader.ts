import type { GcmCipher } from '../driver.ts';
import { PacketIndexes } from '../rtp/packetIndex.ts';
import { fillGcmIv } from './srtpWriter.ts';

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
