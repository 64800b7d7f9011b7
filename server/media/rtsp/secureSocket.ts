import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';

let trusted: SecureContext | undefined;

/** Node's own certificate authorities and those of the system, where an installer adds the company's. Read once. */
function trustStore(): SecureContext {
  trusted ??= createSecureContext({
    ca: [...getCACertificates('default'), ...getCACertificates('system')],
    minVersion: 'TLSv1.2',
  });
  return trusted;
}

/** Connects over TLS. Whether the camera is trusted is told by `distrustOf` at 'secureConnect'. */
export function connectTls(options: ConnectionOptions): TLSSocket {
  // Not rejected by Node, so that the refusal can name the fingerprint; nothing is sent before it is checked.
  return connect({ ...options, secureContext: trustStore(), rejectUnauthorized: false });
}

/** Why a camera's certificate is not trusted: CAMERA_PROTOCOL; undefined when it is. */
export function distrustOf(socket: TLSSocket): FaceplateError | undefined {
  if (socket.authorized) return undefined;
  const { fingerprint256 } = socket.getPeerCertificate();
  const reason = codeOf(socket.authorizationError);
  return new FaceplateError(
    'CAMERA_PROTOCOL',
    `The camera's TLS certificate is not trusted (${reason}) and its fingerprint is not pinned on this panel: SHA-256 ${fingerprint256 || 'unknown'}. Use a certificate that the panel's system trusts, or the rtsp:// address.`,
  );
}

/** Only codes such as DEPTH_ZERO_SELF_SIGNED_CERT: the text of the error may repeat what the camera sent. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'not valid';
}
