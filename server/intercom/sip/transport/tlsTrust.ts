import type { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { trustedAuthorities } from '../../../platform/net/trustedTls.ts';

/** Trust beyond the certificate authorities of the system. */
export interface TlsTrust {
  /** Decides about a certificate that the system does not trust. @param reason why it does not, as a code */
  judge(
    server: { readonly host: string; readonly port: number },
    certificate: X509Certificate,
    reason: string,
  ): 'trusted' | 'refused' | 'changed';
  /** Calls back whenever a person trusts another certificate. @returns the function that ends this. */
  onTrusted(listener: () => void): () => void;
}

export const systemTrust: TlsTrust = { judge: () => 'refused', onTrusted: () => () => {} };

let authorities: SecureContext | undefined;

/** Node's own authorities and the system's, to which an installer may add the company's. Read once. */
export function systemAuthorities(): SecureContext {
  authorities ??= createSecureContext({
    ca: trustedAuthorities(),
    minVersion: 'TLSv1.2',
  });
  return authorities;
}

/** An error of the TLS library in a form that can be shown: the library's text names its source files and lines. */
export function inWords(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^ERR_SSL_[A-Z0-9_]+$/.test(code)
    ? new Error(`TLS could not be agreed on, ${code}`, { cause: error })
    : error;
}

/** Why a remote party is not trusted; undefined if it is. Only a code: the text in a certificate is a stranger's. */
export function distrustOf(
  socket: TLSSocket,
  host: string,
  port: number,
  trust: TlsTrust,
): string | undefined {
  if (socket.authorized) return undefined;
  const error: unknown = socket.authorizationError;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const reason = /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'not valid';
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return 'it showed no TLS certificate';
  const verdict = trust.judge({ host, port }, certificate, reason);
  if (verdict === 'trusted') return undefined;
  const problem =
    verdict === 'changed' ? 'is not the one that was trusted before' : `is not trusted (${reason})`;
  return `its TLS certificate ${problem}, SHA-256 ${certificate.fingerprint256}`;
}
