import { generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { TlsIdentity } from './tlsTrust.ts';

/** RFC 5280 appendix A.1, ub-common-name. */
const MAX_NAME_CHARS = 64;
/**
 * From before the first panel to the last year that UTCTime can tell (RFC 5280 section 4.1.2.5): far ends trust this one
 * certificate by its fingerprint, and a panel without a battery makes it with a wrong clock.
 */
const VALID = ['200101000000Z', '491231235959Z'] as const;

/** Tags of DER (ITU-T X.690). */
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

/** Object identifiers, encoded: ecdsa-with-SHA256 (RFC 5758), commonName (X.520), basicConstraints (RFC 5280). */
const ECDSA_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');

/** Makes a key (ECDSA P-256) and a certificate for it that nobody but itself signed (RFC 5280). @param name its common name */
export async function makeOwnCertificate(name: string): Promise<TlsIdentity> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OBJECT, ECDSA_SHA256));
  const commonName = Array.from(name).slice(0, MAX_NAME_CHARS).join('');
  const attribute = der(SEQUENCE, der(OBJECT, COMMON_NAME), der(UTF8_STRING, Buffer.from(commonName)));
  const subject = der(SEQUENCE, der(SET, attribute));
  const endEntity = der(SEQUENCE, der(OBJECT, BASIC_CONSTRAINTS), der(OCTET_STRING, der(SEQUENCE)));
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(2))),
    der(INTEGER, serialNumber()),
    algorithm,
    subject,
    der(SEQUENCE, ...VALID.map((time) => der(UTC_TIME, Buffer.from(time)))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, endEntity)),
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', content, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(der(SEQUENCE, content, algorithm, signature)),
  };
}

/** RFC 5280 section 4.1.2.2: positive, at most 20 bytes, in as few as hold it. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const digits = length < 0x100 ? Buffer.of(length) : Buffer.of(length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x80 | digits.length), digits, content]);
}

/** RFC 7468. */
function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}
