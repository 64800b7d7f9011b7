import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { StateFile } from '../platform/files/stateFile.ts';
import type { Logger } from '../platform/log.ts';
import { makeOwnCertificate, type TlsIdentity } from '../platform/tls/ownCertificate.ts';

interface CertificateNeeds {
  readonly dataDir: string;
  /** The panel's name: the subject of the certificate that is made. */
  readonly name: string;
  readonly log: Logger;
}

/**
 * The key and certificate that TLS callers see, stored in `<dataDir>/intercom-certificate.json` with mode 0600. Made
 * once: a caller that trusted the certificate must see the same one again, so a key that cannot be stored is not used.
 * @throws FaceplateError STORAGE_FULL
 */
export async function intercomCertificate({ dataDir, name, log }: CertificateNeeds): Promise<TlsIdentity> {
  const path = join(dataDir, 'intercom-certificate.json');
  const file = new StateFile<TlsIdentity | null>({ path, schema: { parse }, defaults: null, log });
  const kept = await file.load();
  if (kept !== null) {
    // A restored backup may be readable by others.
    await chmod(path, 0o600);
    return kept;
  }
  const made = await makeOwnCertificate(name);
  await file.save(made);
  const { fingerprint256: fingerprint } = new X509Certificate(made.cert);
  log.info({ fingerprint }, 'intercom: certificate created');
  return made;
}

/** @throws Error if it is not a certificate with the matching key. */
function parse(value: unknown): TlsIdentity {
  const { key, cert } = value as Partial<Record<keyof TlsIdentity, unknown>>;
  if (typeof key !== 'string' || typeof cert !== 'string') throw new Error('key or certificate is missing');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key does not belong to the certificate');
  return { key, cert };
}
