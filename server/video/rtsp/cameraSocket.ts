import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import { type CertificateTrust, connectTls, distrustOf } from '../../platform/net/trustedTls.ts';
import { type CameraAccess, hostKey } from './cameraUrl.ts';
import { forbiddenTarget } from './failure.ts';

/** Where a camera is asked. */
export interface CameraPlace {
  readonly host: string;
  readonly port: number;
  /** Over TLS. */
  readonly isSecure: boolean;
}

/** Whether a camera may have an old TLS: the setting `streams.oldTlsHosts`. */
export function allowsOldTls(host: string, access: CameraAccess): boolean {
  return access.oldTlsHosts().some((other) => hostKey(other) === hostKey(host));
}

/**
 * Begins a connection to a camera. Nothing may be sent before `whenJudged`.
 * @param onread how a connection without TLS is read
 */
export function openCameraSocket(
  { host, port, isSecure }: CameraPlace,
  access: CameraAccess,
  onread?: OnReadOpts,
): Socket {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  // Both families at once with a short head start: a host name with a dead AAAA record must not use up the time limit.
  const options = { host: address, port, autoSelectFamily: isIP(address) === 0 };
  if (isSecure) return connectTls(options, access.certificates, allowsOldTls(host, access));
  return connect({ ...options, ...(onread && { onread }) });
}

/** Calls `judged` once it is connected: with the reason why the panel sends nothing there, or with nothing. */
export function whenJudged(
  socket: Socket,
  { host, port, isSecure }: CameraPlace,
  access: CameraAccess,
  judged: (refusal?: FaceplateError) => void,
): void {
  // Checked on the connected address: a name or a redirect may lead here too.
  socket.once('connect', () => {
    if (socket.remotePort === access.ownPort() && isThisMachine(socket)) judged(forbiddenTarget());
    else if (!isSecure) judged();
  });
  if (isSecure)
    socket.once('secureConnect', () =>
      judged(cameraDistrust(socket as TLSSocket, { host, port }, access.certificates)),
    );
}

/** Why a camera's certificate is not trusted: CAMERA_PROTOCOL; undefined if the system trusts it or it is pinned. */
function cameraDistrust(
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

/** A connection to one of our own addresses comes from the same address, or from loopback. */
function isThisMachine({ remoteAddress = '', localAddress }: Socket): boolean {
  return remoteAddress === localAddress || /^(::ffff:)?127\./.test(remoteAddress);
}
