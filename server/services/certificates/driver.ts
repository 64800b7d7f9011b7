import type { X509Certificate } from 'node:crypto';

/** Asks a TLS server for its certificate. */
export interface CertificateProbe {
  /** @throws Error when the server shows none in time. */
  ask(host: string, port: number): Promise<X509Certificate>;
}
