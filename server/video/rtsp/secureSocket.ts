import type { TLSSocket } from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import { type CertificateTrust, distrustOf } from '../../platform/trustedTls.ts';

/** Why a camera's certificate is not trusted: CAMERA_PROTOCOL; undefined if the system trusts it or it is pinned. */
export function cameraDistrust(
  socket: TLSSocket,
  server: { readonly host: string; readonly port: number },
  trust: CertificateTrust,
): FaceplateError | undefined {
  const distrust = distrustOf(socket, server, trust);
  if (distrust === undefined) return undefined;
  const { verdict, reason, fingerprint } = distrust;
  if (verdict === undefined)
    return new FaceplateError('CAMERA_PROTOCOL', 'The camera shows no TLS certificate.');
  const about =
    verdict === 'changed'
      ? `The camera shows another TLS certificate than the one that was trusted (${reason})`
      : `The camera's TLS certificate is not trusted (${reason}) and not pinned on this panel`;
  return new FaceplateError(
    'CAMERA_PROTOCOL',
    `${about}: SHA-256 ${fingerprint}. Compare it with the camera's own and trust it on the settings page (or POST /api/manage/certificates/trust), or use the rtsp:// address.`,
  );
}
