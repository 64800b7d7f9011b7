import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The parts of a STUN binding request that ICE-lite needs (RFC 8489, RFC 8445). */
interface BindingRequest {
  /** `<our ufrag>:<their ufrag>`. */
  readonly username: string;
  /** The browser has chosen this path. */
  readonly nominates: boolean;
  readonly data: Buffer;
  /** Offset of MESSAGE-INTEGRITY. */
  readonly integrityAt: number;
}

const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const MAGIC_COOKIE = 0x2112a442;
const HEADER_LENGTH = 20;
const ATTRIBUTE_USERNAME = 0x0006;
const ATTRIBUTE_INTEGRITY = 0x0008;
const ATTRIBUTE_XOR_MAPPED_ADDRESS = 0x0020;
const ATTRIBUTE_USE_CANDIDATE = 0x0025;
const ATTRIBUTE_FINGERPRINT = 0x8028;
const INTEGRITY_LENGTH = 24;
const FINGERPRINT_XOR = 0x5354554e;
const IPV4 = 1;

/** Reads a binding request; undefined for everything else. Its integrity is not checked here. */
export function parseBindingRequest(data: Buffer): BindingRequest | undefined {
  if (data.length < HEADER_LENGTH || data.readUInt16BE(0) !== BINDING_REQUEST) return undefined;
  if (data.readUInt32BE(4) !== MAGIC_COOKIE || data.readUInt16BE(2) !== data.length - HEADER_LENGTH) {
    return undefined;
  }
  let username = '';
  let nominates = false;
  for (let at = HEADER_LENGTH; at + 4 <= data.length; ) {
    const type = data.readUInt16BE(at);
    const length = data.readUInt16BE(at + 2);
    if (at + 4 + length > data.length) return undefined;
    if (type === ATTRIBUTE_INTEGRITY) {
      if (length !== INTEGRITY_LENGTH - 4) return undefined;
      // Attributes after the integrity (except the fingerprint) are not protected and not read.
      return { username, nominates, data, integrityAt: at };
    }
    if (type === ATTRIBUTE_USERNAME) username = data.toString('utf8', at + 4, at + 4 + length);
    else if (type === ATTRIBUTE_USE_CANDIDATE) nominates = true;
    at += 4 + ((length + 3) & ~3);
  }
  return undefined;
}

/** Whether the request was made with our password (short-term credentials, RFC 8489 section 9.1). */
export function hasIntegrity(request: BindingRequest, password: string): boolean {
  const { data, integrityAt } = request;
  // The length in the header counts up to the end of MESSAGE-INTEGRITY.
  const covered = Buffer.from(data.subarray(0, integrityAt));
  covered.writeUInt16BE(integrityAt + INTEGRITY_LENGTH - HEADER_LENGTH, 2);
  const expected = createHmac('sha1', password).update(covered).digest();
  return timingSafeEqual(expected, data.subarray(integrityAt + 4, integrityAt + INTEGRITY_LENGTH));
}

/** The success answer: the IPv4 address we saw, integrity and fingerprint. */
export function bindingSuccess(
  request: BindingRequest,
  address: string,
  port: number,
  password: string,
): Buffer {
  const integrityAt = HEADER_LENGTH + 12;
  const fingerprintAt = integrityAt + INTEGRITY_LENGTH;
  const answer = Buffer.alloc(fingerprintAt + 8);
  answer.writeUInt16BE(BINDING_SUCCESS, 0);
  request.data.copy(answer, 4, 4, HEADER_LENGTH);
  answer.writeUInt16BE(ATTRIBUTE_XOR_MAPPED_ADDRESS, 20);
  answer.writeUInt16BE(8, 22);
  answer[25] = IPV4;
  answer.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), 26);
  const bytes = Buffer.from(address.split('.').map(Number));
  answer.writeUInt32BE((bytes.readUInt32BE(0) ^ MAGIC_COOKIE) >>> 0, 28);
  answer.writeUInt16BE(ATTRIBUTE_INTEGRITY, integrityAt);
  answer.writeUInt16BE(INTEGRITY_LENGTH - 4, integrityAt + 2);
  answer.writeUInt16BE(integrityAt + INTEGRITY_LENGTH - HEADER_LENGTH, 2);
  createHmac('sha1', password)
    .update(answer.subarray(0, integrityAt))
    .digest()
    .copy(answer, integrityAt + 4);
  answer.writeUInt16BE(answer.length - HEADER_LENGTH, 2);
  answer.writeUInt16BE(ATTRIBUTE_FINGERPRINT, fingerprintAt);
  answer.writeUInt16BE(4, fingerprintAt + 2);
  const fingerprint = (crc32(answer.subarray(0, fingerprintAt)) ^ FINGERPRINT_XOR) >>> 0;
  answer.writeUInt32BE(fingerprint, fingerprintAt + 4);
  return answer;
}
