import type { GcmCipher, MediaDriver } from '../driver.ts';
import { PacketIndexes } from './srtpReader.ts';
import { fillGcmIv, type SrtpSessionKey } from './srtpWriter.ts';

/** First part of an RTCP packet, never encrypted: type, length, SSRC. */
const HEADER = 8;
const TAG = 16;
/** The last word of a packet: the flag below and its index, 31 bits. */
const WORD = 4;
const ENCRYPTED = 0x80000000;
/** Most senders of one browser that are remembered; each of its tracks is one. */
const MAX_STREAMS = 32;

/** SRTCP to and from one browser with AES-128-GCM (RFC 7714 section 9), with separate keys. */
export class SrtcpSession {
  readonly #sending: GcmCipher;
  readonly #receiving: GcmCipher;
  readonly #sendSalt: Buffer;
  readonly #receiveSalt: Buffer;
  /** Every SSRC counts by itself (RFC 3711 section 3.2.3). */
  readonly #streams = new PacketIndexes(MAX_STREAMS);
  /** Shared by our SSRCs, which only must not use an index twice. At ten packets a second it lasts for six years. */
  #index = 0;

  /** @param send, receive the keys for RTCP: not those for RTP. */
  constructor(driver: MediaDriver, send: SrtpSessionKey, receive: SrtpSessionKey) {
    this.#sending = driver.createCipher(send.key);
    this.#receiving = driver.createCipher(receive.key);
    this.#sendSalt = Buffer.from(send.salt);
    this.#receiveSalt = Buffer.from(receive.salt);
  }

  /** Drops the keys; no other call is allowed afterwards. Safe to call twice. */
  close(): void {
    this.#sending.close();
    this.#receiving.close();
  }

  /** @param packet RTCP, also compound. @returns the SRTCP packet. */
  seal(packet: Buffer): Buffer {
    const index = this.#index++;
    const length = packet.length + TAG;
    // Header and word are authenticated together, so they are adjacent while the cipher works.
    const sealed = Buffer.allocUnsafe(WORD + length);
    packet.copy(sealed, 0, 0, HEADER);
    sealed.writeUInt32BE(ENCRYPTED + index, HEADER);
    packet.copy(sealed, HEADER + WORD, HEADER);
    fillIv(this.#sending.iv, this.#sendSalt, packet.readUInt32BE(4), index);
    this.#sending.seal(sealed, 0, HEADER + WORD, packet.length - HEADER);
    sealed.copyWithin(HEADER, HEADER + WORD);
    sealed.writeUInt32BE(ENCRYPTED + index, length);
    return sealed;
  }

  /** @returns the RTCP packet; undefined if it was not sealed with this key, or is a repetition. */
  open(packet: Buffer): Buffer | undefined {
    const end = packet.length - TAG - WORD;
    if (end < HEADER) return undefined;
    const ssrc = packet.readUInt32BE(4);
    const word = packet.readUInt32BE(end + TAG);
    const index = word % ENCRYPTED;
    const stream = this.#streams.of(ssrc);
    if (!stream.isNew(index)) return undefined;
    // Without the flag all of it is plain, and authenticated.
    const start = word < ENCRYPTED ? end : HEADER;
    const turned = Buffer.allocUnsafe(packet.length);
    packet.copy(turned, 0, 0, start);
    turned.writeUInt32BE(word, start);
    packet.copy(turned, start + WORD, start, end + TAG);
    fillIv(this.#receiving.iv, this.#receiveSalt, ssrc, index);
    const opened = this.#receiving.open(turned, start + WORD);
    if (opened === undefined) return undefined;
    this.#streams.accept(ssrc, stream, index);
    opened.copyWithin(start, start + WORD);
    return opened.subarray(0, end);
  }
}

/**
 * The initialization vector of an SRTCP packet (RFC 7714 section 9.1): that of SRTP, whose last six octets hold the index
 * alone.
 */
function fillIv(iv: Buffer, salt: Buffer, ssrc: number, index: number): void {
  fillGcmIv(iv, salt, ssrc, index >>> 16, index & 0xffff);
}
