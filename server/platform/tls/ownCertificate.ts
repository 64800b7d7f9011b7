import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import type { X509CertificateGenerator } from '@peculiar/x509';
import { StateFile } from '../files/stateFile.ts';
import type { Logger } from '../log.ts';

/** Loaded with the first certificate: a panel makes one in its life, if any. */
type X509 = typeof import('@peculiar/x509');

/** A certificate and its key, as PEM. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

/** What a certificate for browsers says besides its common name. */
interface ForBrowsers {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Host names, also with a `*` as first label. */
  readonly names: readonly string[];
  /** IP addresses without a zone. */
  readonly addresses: readonly string[];
}

/** RFC 5280 appendix A.1, ub-common-name. */
const MAX_NAME_CHARS = 64;
/**
 * From before the first panel to the last year of UTCTime (RFC 5280 section 4.1.2.5): remote parties trust this
 * certificate by its fingerprint, and a panel without a battery creates it with a wrong clock.
 */
const VALID = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T23:59:59Z') };
type SelfSigned = Parameters<typeof X509CertificateGenerator.createSelfSigned>[0];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a key (ECDSA P-256) and a self-signed certificate for it (RFC 5280).
 * @param name its common name
 * @param forBrowsers without it, the certificate holds no host names and is valid for ever
 */
export async function makeOwnCertificate(name: string, forBrowsers?: ForBrowsers): Promise<TlsIdentity> {
  // The other does not load without it.
  await import('reflect-metadata');
  // It is CommonJS: in the bundle, all of it is in `default`.
  const { default: x509 } = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const commonName = Array.from(name).slice(0, MAX_NAME_CHARS).join('');
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // As parts, not as text: a name may contain commas and other special characters.
    name: new x509.Name([{ CN: [{ utf8String: commonName }] }]),
    // The browser's types, used when this file is checked along with pages, know fewer usages.
    keys: keys as SelfSigned['keys'],
    ...(forBrowsers ?? VALID),
    serialNumber: serialNumber(),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      ...(forBrowsers ? serverExtensions(x509, forBrowsers) : []),
    ],
  });
  return {
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate.toString('pem'),
  };
}

/** What browsers ask of a server's certificate: host names (RFC 6125 section 6.4), and that it is for servers. */
function serverExtensions(
  { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension }: X509,
  { names, addresses }: ForBrowsers,
) {
  return [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      ...names.map((value) => ({ type: 'dns', value }) as const),
      ...addresses.map((value) => ({ type: 'ip', value }) as const),
    ]),
  ];
}

/** RFC 5280 section 4.1.2.2: positive, at most 20 bytes, in the shortest form. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** A certificate that the panel made, stored with its key in a file of mode 0600. */
export class StoredCertificate {
  readonly #path: string;
  readonly #file: StateFile<TlsIdentity | null>;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#file = new StateFile<TlsIdentity | null>({ path, schema: { parse }, defaults: null, log });
  }

  /** As loaded or saved last; null where there is none. */
  get value(): TlsIdentity | null {
    return this.#file.value;
  }

  async load(): Promise<TlsIdentity | null> {
    const identity = await this.#file.load();
    // A restored backup may be readable by others.
    if (identity !== null) await chmod(this.#path, 0o600);
    return identity;
  }

  /** @returns the fingerprint of the certificate @throws FaceplateError STORAGE_FULL */
  async save(identity: TlsIdentity): Promise<string> {
    await this.#file.save(identity);
    return new X509Certificate(identity.cert).fingerprint256;
  }
}

/** @throws Error if it is not a certificate with the matching key. */
function parse(value: unknown): TlsIdentity {
  const { key, cert } = value as Partial<Record<keyof TlsIdentity, unknown>>;
  if (typeof key !== 'string' || typeof cert !== 'string') throw new Error('key or certificate is missing');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key does not belong to the certificate');
  return { key, cert };
}
