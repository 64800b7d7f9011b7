import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { TlsIdentity } from '../../platform/tls/ownCertificate.ts';
import type { CertificateSource } from './driver.ts';

/** The certificate and the key in the files that the settings name. */
export class CertificateFiles implements CertificateSource {
  readonly #certificate: string;
  readonly #key: string;

  constructor(certificate: string, key: string) {
    this.#certificate = certificate;
    this.#key = key;
  }

  async read(): Promise<TlsIdentity> {
    const cert = await readPem('https.certificate', this.#certificate);
    const key = await readPem('https.key', this.#key);
    assertCompatible({ cert, key });
    return { cert, key };
  }
}

async function readPem(setting: string, path: string): Promise<string> {
  if (path === '') throw new Error(`${setting} is not set, and belongs to the other file`);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    throw new Error(
      `${setting} cannot be read: ${errno === undefined ? 'unknown reason' : errnoWords(errno)}`,
      {
        cause: error,
      },
    );
  }
}

/** @throws Error whose message is a clause for people; the texts of OpenSSL are only its cause */
function assertCompatible({ cert, key }: TlsIdentity): void {
  const certificate = attempt(
    'https.certificate holds no certificate in PEM',
    () => new X509Certificate(cert),
  );
  const privateKey = attempt('https.key holds no private key in PEM without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('https.key does not belong to https.certificate');
  attempt('https.certificate and https.key cannot be used for TLS', () => createSecureContext({ cert, key }));
}

function attempt<T>(words: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(words, { cause: error });
  }
}
