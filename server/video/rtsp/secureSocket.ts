import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import type { CertificateTrust } from '../access.ts';

let trusted: { readonly further: string; readonly context: SecureContext } | undefined;

/**
 * Node's own certificate authorities and those of the system, to which an installer may add the company's, and those of
 * the settings. Read once, and again when those of the settings change.
 */
function trustStore(authorities: readonly string[]): SecureContext {
  const further = authorities.join('\n');
  if (trusted?.further !== further) {
    const ca = [...getCACertificates('default'), ...getCACertificates('system'), ...authorities];
    trusted = { further, context: createSecureContext({ ca, minVersion: 'TLSv1.2' }) };
  }
  return trusted.context;
}

/** Connects over TLS. At 'secureConnect', `distrustOf` says whether the camera is trusted. */
export function connectTls(options: ConnectionOptions, trust: CertificateTrust): TLSSocket {
  // Not rejected by Node, so that the refusal can name the fingerprint; nothing is sent before it is checked.
  return connect({
    ...options,
    secureContext: trustStore(trust.authorities?.() ?? []),
    rejectUnauthorized: false,
  });
}

/** Why a camera's certificate is not trusted: CAMERA_PROTOCOL; undefined if the system trusts it or it is pinned. */
export function distrustOf(
  socket: TLSSocket,
  server: { readonly host: string; readonly port: number },
  trust: CertificateTrust,
): FaceplateError | undefined {
  const hasFurther = (trust.authorities?.() ?? []).length > 0;
  if (socket.authorized && !(hasFurther && trust.isPinned?.(server))) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined)
    return new FaceplateError('CAMERA_PROTOCOL', 'The camera shows no TLS certificate.');
  const reason = codeOf(socket.authorizationError);
  const verdict = trust.judge(server, certificate, reason);
  if (verdict === 'trusted') return undefined;
  const about =
    verdict === 'changed'
      ? `The camera shows another TLS certificate than the one that was trusted (${reason})`
      : `The camera's TLS certificate is not trusted (${reason}) and not pinned on this panel`;
  return new FaceplateError(
    'CAMERA_PROTOCOL',
    `${about}: SHA-256 ${certificate.fingerprint256}. Compare it with the camera's own and trust it on the settings page (or POST /api/manage/certificates/trust), or use the rtsp:// address.`,
  );
}

/** Only codes such as DEPTH_ZERO_SELF_SIGNED_CERT: the text of the error may repeat what the camera sent. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'not valid';
}
