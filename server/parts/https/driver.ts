import type { TlsIdentity } from '../../platform/tls/ownCertificate.ts';

/** Where the certificate of HTTPS comes from: files, or the panel itself. */
export interface CertificateSource {
  /**
   * The pair as it should be now; the same one again as long as nothing changed.
   * @throws Error whose message is a clause for people, such as `https.key cannot be read: no such file`
   */
  read(): Promise<TlsIdentity>;
}
