import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from './observe/log.ts';
import { makeOwnCertificate } from './sip/transport/ownCertificate.ts';
import type { TlsIdentity } from './sip/transport/tlsTrust.ts';
import { StateFile } from './store/stateFile.ts';

interface CertificateNeeds {
  readonly dataDir: string;
  /** The panel's name: the subject of a certificate that is made. */
  readonly name: string;
  readonly log: Logger;
}

/**
 * The key and certificate that callers over TLS meet, kept in `<dataDir>/intercom-certificate.json` with mode 0600. Made
 * once: whoever trusted the certificate has to meet the same one again, so a key that cannot be kept is not used.
 * @throws FaceplateError STORAGE_FULL
 */
export async function intercomCertificate({ dataDir, name, log }: CertificateNeeds): Promise<TlsIdentity> {
  const path = join(dataDir, 'intercom-certificate.json');
  const file = new StateFile<TlsIdentity | null>({ path, schema: { parse }, defaults: null, log });
  const kept = await file.load();
  if (kept !== null) {
    // A backup that was put back may be open to others.
    await chmod(path, 0o600);
    return kept;
  }
  const made = await makeOwnCertificate(name);
  await file.save(made);
  const { fingerprint256: fingerprint } = new X509Certificate(made.cert);
  log.info({ fingerprint }, 'certificate of the intercom made');
  return made;
}

/** @throws Error where it is not a certificate with its own key. */
function parse(value: unknown): TlsIdentity {
  const { key, cert } = value as Partial<Record<keyof TlsIdentity, unknown>>;
  if (typeof key !== 'string' || typeof cert !== 'string') throw new Error('key or certificate is missing');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key is not the one of the certificate');
  return { key, cert };
}
