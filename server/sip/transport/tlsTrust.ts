import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';

/** What is trusted besides the certificate authorities of the system. */
export interface TlsTrust {
  /** Whether an installer has pinned this certificate for this place. @param fingerprint256 as Node writes it, `AB:CD:…` */
  isPinned(host: string, port: number, fingerprint256: string): boolean;
}

/** A certificate of this panel's own, in PEM: with it TLS connections are taken too. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

export const systemTrust: TlsTrust = { isPinned: () => false };

let authorities: SecureContext | undefined;

/** Node's own authorities and the system's, where an installer adds the company's. Read once. */
export function trustedAuthorities(): SecureContext {
  authorities ??= createSecureContext({
    ca: [...getCACertificates('default'), ...getCACertificates('system')],
    minVersion: 'TLSv1.2',
  });
  return authorities;
}

/** Why a far end is not trusted, undefined where it is. Only a code: what a certificate says is a stranger's text. */
export function distrustOf(
  socket: TLSSocket,
  host: string,
  port: number,
  trust: TlsTrust,
): string | undefined {
  if (socket.authorized) return undefined;
  const fingerprint = socket.getPeerCertificate().fingerprint256 ?? '';
  if (fingerprint !== '' && trust.isPinned(host, port, fingerprint)) return undefined;
  const error: unknown = socket.authorizationError;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const reason = /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'not valid';
  return `its TLS certificate is not trusted (${reason}, SHA-256 ${fingerprint || 'unknown'})`;
}
