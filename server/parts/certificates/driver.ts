import type { X509Certificate } from 'node:crypto';

/** Asks a TLS server for its certificate. */
export interface CertificateProbe {
  /** @throws Error when the server shows none in time. */
  ask(host: string, port: number): Promise<X509Certificate>;
  /**
   * As `ask`, of a server that one of these authorities (PEM) vouches for: name, time and chain are checked.
   * @throws Error when none does
   */
  askVouched?(host: string, port: number, authorities: readonly string[]): Promise<X509Certificate>;
}
