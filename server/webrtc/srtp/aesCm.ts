import {
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { GcmCipher } from '../driver.ts';
import { headerLength, PacketIndexes } from './srtpReader.ts';

/** Supported suites of RFC 4568 section 6.2, with the bytes of their RTP tag. RTCP always has ten. */
export const CRYPTO_SUITES = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 } as const;
export type CryptoSuite = keyof typeof CRYPTO_SUITES;

/** Length of master key and salt in a=crypto, in bytes. */
export const MASTER_LENGTH = 30;
const KEY_LENGTH = 16;
const AUTH_KEY_LENGTH = 20;
const SALT_LENGTH = 14;
const RTCP_TAG = 10;
const RTCP_HEADER = 8;
const RTCP_INDEX = 4;
/** Says that an SRTCP packet is encrypted (RFC 3711 section 3.4). */
const ENCRYPTED = 0x80000000;
/** Most streams of the remote party that are remembered; a door station has one at a time. */
const MAX_STREAMS = 8;

interface SessionKeys {
  readonly cipher: KeyObject;
  readonly auth: KeyObject;
  readonly salt: Buffer;
}

/** A new master key and salt. */
export function createMaster(): Buffer {
  return randomBytes(MASTER_LENGTH);
}

/** Session keys (RFC 3711 section 4.3), key derivation rate 0. @param firstLabel 0 for RTP, 3 for RTCP */
export function deriveKeys(master: Buffer, firstLabel: 0 | 3): { key: Buffer; auth: Buffer; salt: Buffer } {
  const masterKey = master.subarray(0, KEY_LENGTH);
  const derive = (label: number, length: number): Buffer => {
    const iv = Buffer.alloc(16);
    master.copy(iv, 0, KEY_LENGTH, MASTER_LENGTH);
    iv[7]! ^= label;
    return createCipheriv('aes-128-ctr', masterKey, iv).update(Buffer.alloc(length));
  };
  return {
    key: derive(firstLabel, KEY_LENGTH),
    auth: derive(firstLabel + 1, AUTH_KEY_LENGTH),
    salt: derive(firstLabel + 2, SALT_LENGTH),
  };
}

function sessionKeys(master: Buffer, firstLabel: 0 | 3): SessionKeys {
  const { key, auth, salt } = deriveKeys(master, firstLabel);
  return { cipher: createSecretKey(key), auth: createSecretKey(auth), salt };
}

/** AES in counter mode over `data` (RFC 3711 section 4.1.1). @param index of the packet, 48 bits */
function crypt({ cipher, salt }: SessionKeys, ssrc: number, index: number, data: Buffer): Buffer {
  const iv = Buffer.alloc(16);
  const counted = Buffer.alloc(16);
  salt.copy(iv);
  counted.writeUInt32BE(ssrc, 4);
  counted.writeUIntBE(index, 8, 6);
  for (let i = 4; i < 14; i++) iv[i]! ^= counted[i]!;
  return createCipheriv('aes-128-ctr', cipher, iv).update(data);
}

function tagOf(auth: KeyObject, length: number, ...parts: readonly Buffer[]): Buffer {
  const hmac = createHmac('sha1', auth);
  for (const part of parts) hmac.update(part);
  return hmac.digest().subarray(0, length);
}

function uint32(value: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(value >>> 0);
  return data;
}

/** SRTP and SRTCP of one direction with keys from the SDP (RFC 3711, RFC 4568). */
export class AesCmSession {
  readonly #tagLength: number;
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  readonly #streams = new PacketIndexes(MAX_STREAMS);
  /** Every SSRC counts by itself (RFC 3711 section 3.2.3). */
  readonly #reports = new PacketIndexes(MAX_STREAMS);
  #sentReports = 0;

  constructor(suite: CryptoSuite, master: Buffer) {
    this.#tagLength = CRYPTO_SUITES[suite];
    this.#rtp = sessionKeys(master, 0);
    this.#rtcp = sessionKeys(master, 3);
  }

  /** @param packet RTP with a fixed header only; sequence numbers of one SSRC in order. */
  protectRtp(packet: Buffer): Buffer {
    const start = headerLength(packet)!;
    const ssrc = packet.readUInt32BE(8);
    const stream = this.#streams.of(ssrc);
    const index = stream.guess(packet.readUInt16BE(2)) ?? 0;
    this.#streams.accept(ssrc, stream, index);
    const sealed = Buffer.concat([
      packet.subarray(0, start),
      crypt(this.#rtp, ssrc, index, packet.subarray(start)),
    ]);
    const tag = tagOf(this.#rtp.auth, this.#tagLength, sealed, uint32(Math.floor(index / 0x10000)));
    return Buffer.concat([sealed, tag]);
  }

  /** @returns undefined when it was not sealed with this key, or came before. */
  unprotectRtp(packet: Buffer): Buffer | undefined {
    const start = headerLength(packet);
    const end = packet.length - this.#tagLength;
    if (start === undefined || end < start) return undefined;
    const ssrc = packet.readUInt32BE(8);
    const stream = this.#streams.of(ssrc);
    const index = stream.guess(packet.readUInt16BE(2));
    if (index === undefined) return undefined;
    const sealed = packet.subarray(0, end);
    const tag = tagOf(this.#rtp.auth, this.#tagLength, sealed, uint32(Math.floor(index / 0x10000)));
    if (!timingSafeEqual(tag, packet.subarray(end))) return undefined;
    this.#streams.accept(ssrc, stream, index);
    return Buffer.concat([packet.subarray(0, start), crypt(this.#rtp, ssrc, index, sealed.subarray(start))]);
  }

  protectRtcp(packet: Buffer): Buffer {
    const index = this.#sentReports++;
    const ssrc = packet.readUInt32BE(4);
    const body = crypt(this.#rtcp, ssrc, index, packet.subarray(RTCP_HEADER));
    const sealed = Buffer.concat([packet.subarray(0, RTCP_HEADER), body, uint32(index | ENCRYPTED)]);
    return Buffer.concat([sealed, tagOf(this.#rtcp.auth, RTCP_TAG, sealed)]);
  }

  /** @returns undefined when it was not sealed with this key, or came before. */
  unprotectRtcp(packet: Buffer): Buffer | undefined {
    const end = packet.length - RTCP_TAG;
    if (end < RTCP_HEADER + RTCP_INDEX) return undefined;
    const sealed = packet.subarray(0, end);
    if (!timingSafeEqual(tagOf(this.#rtcp.auth, RTCP_TAG, sealed), packet.subarray(end))) return undefined;
    const word = sealed.readUInt32BE(end - RTCP_INDEX);
    const index = word % ENCRYPTED;
    const ssrc = packet.readUInt32BE(4);
    const stream = this.#reports.of(ssrc);
    if (!stream.isNew(index)) return undefined;
    this.#reports.accept(ssrc, stream, index);
    const body = sealed.subarray(RTCP_HEADER, end - RTCP_INDEX);
    if (word < ENCRYPTED) return Buffer.from(sealed.subarray(0, end - RTCP_INDEX));
    return Buffer.concat([sealed.subarray(0, RTCP_HEADER), crypt(this.#rtcp, ssrc, index, body)]);
  }
}

/**
 * A session as a cipher that encrypts packets of RTP in their place, in their order; the initialization vectors are its own.
 * The tag has the length of the suite.
 */
export function aesCmCipher(session: AesCmSession): GcmCipher {
  return {
    iv: Buffer.alloc(0),
    seal: (memory, at, start, length) => {
      session.protectRtp(memory.subarray(at, at + start + length)).copy(memory, at);
    },
    open: (packet) => session.unprotectRtp(packet),
    close: () => {},
  };
}
