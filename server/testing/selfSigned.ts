import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';

/** Key and certificate of a test server, as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
  /** SHA-256 of the certificate: pairs of hex digits with colons between. */
  readonly fingerprint: string;
}

/** A certificate that is its own authority, made by openssl. @param subject such as `IP:127.0.0.1` or `DNS:p1.localhost` */
export function selfSigned(subject = 'IP:127.0.0.1'): SelfSigned {
  const folder = temporaryFolder('cert');
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=device';
  execFileSync(
    'openssl',
    [...kind.split(' '), '-addext', `subjectAltName=${subject}`, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  const pem = readFileSync(cert, 'utf8');
  return {
    key: readFileSync(key, 'utf8'),
    cert: pem,
    fingerprint: new X509Certificate(pem).fingerprint256,
  };
}
