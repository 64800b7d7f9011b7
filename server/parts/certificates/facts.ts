import type { X509Certificate } from 'node:crypto';
import type { CertificateFacts } from './contract.ts';

const LONGEST_NAME = 200;

/** What is reported of a certificate. Its names are the server's own words: kept to one line and shortened. */
export function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    fingerprint: certificate.fingerprint256,
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFrom: dateOf(certificate.validFrom),
    validTo: dateOf(certificate.validTo),
  };
}

/** `CN=camera\nO=Maker` as `CN=camera, O=Maker`; undefined when it has none. */
function nameOf(name: string | undefined): string {
  const line = (name ?? '')
    .trim()
    .replaceAll('\n', ', ')
    .replaceAll(/\p{Cc}/gu, ' ');
  return line.slice(0, LONGEST_NAME);
}

/** A date outside the range of calendars counts as the beginning of time. */
function dateOf(text: string): string {
  const date = new Date(text);
  const year = date.getUTCFullYear();
  return (year >= 0 && year <= 9999 ? date : new Date(0)).toISOString();
}
