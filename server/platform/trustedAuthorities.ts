import { readFileSync } from 'node:fs';
import tls from 'node:tls';

/** Where Debian's package ca-certificates puts the authorities of the system (update-ca-certificates(8)). */
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

/** Node's own certificate authorities and those of the system, to which an installer may add the company's, as PEM. */
export function trustedAuthorities(): string[] {
  // Node before 22.15, as in Electron 33 and 34, does not have the function.
  const { getCACertificates } = tls as Partial<typeof tls>;
  if (getCACertificates !== undefined)
    return [...getCACertificates('default'), ...getCACertificates('system')];
  return [...tls.rootCertificates, ...authoritiesOf(BUNDLE)];
}

/** @returns the certificates of a file in PEM; none where the file cannot be read */
export function authoritiesOf(file: string): string[] {
  try {
    return (
      readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    );
  } catch {
    return [];
  }
}
