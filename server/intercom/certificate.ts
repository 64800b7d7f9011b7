import { join } from 'node:path';
import type { Logger } from '../platform/log.ts';
import { makeOwnCertificate, StoredCertificate, type TlsIdentity } from '../platform/tls/ownCertificate.ts';

interface CertificateNeeds {
  readonly dataDir: string;
  /** The panel's name: the subject of the certificate that is made. */
  readonly name: string;
  readonly log: Logger;
}

/**
 * The key and certificate that TLS callers see, stored in `<dataDir>/intercom-certificate.json`. Made once: a caller
 * that trusted the certificate must see the same one again, so a key that cannot be stored is not used.
 * @throws FaceplateError STORAGE_FULL
 */
export async function intercomCertificate({ dataDir, name, log }: CertificateNeeds): Promise<TlsIdentity> {
  const file = new StoredCertificate(join(dataDir, 'intercom-certificate.json'), log);
  const stored = await file.load();
  if (stored !== null) return stored;
  const made = await makeOwnCertificate(name);
  const fingerprint = await file.save(made);
  log.info({ fingerprint }, 'intercom: certificate created');
  return made;
}
