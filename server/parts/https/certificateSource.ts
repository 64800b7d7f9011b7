import { hostname } from 'node:os';
import type { Logger } from '../../platform/log.ts';
import { ownAddresses } from '../../platform/networks.ts';
import { CertificateFiles } from './certificateFiles.ts';
import type { CertificateSource } from './driver.ts';
import { ownNames, SelfSignedCertificate } from './selfSignedCertificate.ts';

/** The settings that say where the certificate comes from. */
interface CertificateSettings {
  readonly dataDir: string;
  readonly 'https.port': number | 'off';
  readonly 'https.certificate': string;
  readonly 'https.key': string;
}

/**
 * Where the certificate of HTTPS comes from; null while HTTPS is off.
 * @param allowedHosts further names of the panel, asked again and again
 */
export function certificateSource(
  settings: CertificateSettings,
  allowedHosts: () => readonly string[],
  log: Logger,
): CertificateSource | null {
  if (settings['https.port'] === 'off') return null;
  const [certificate, key] = [settings['https.certificate'], settings['https.key']];
  if (certificate !== '' || key !== '') return new CertificateFiles(certificate, key);
  return new SelfSignedCertificate({
    dataDir: settings.dataDir,
    names: () => ownNames(hostname(), allowedHosts(), ownAddresses()),
    now: Date.now,
    log,
  });
}
