import type { X509Certificate } from 'node:crypto';

/** Asks a TLS server for its certificate. */
export interface CertificateProbe {
  /** @throws Error when it does not show one in time. */
  ask(host: string, port: number): Promise<X509Certificate>;
}
