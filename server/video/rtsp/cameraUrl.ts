import { FaceplateError } from '../../contract/errors.ts';
import { cameraAddress, unescapedLogin } from '../../contract/fields.ts';
import type { CertificateTrust } from '../../platform/net/trustedTls.ts';
import type { Credentials } from './auth.ts';
import type { CameraHabits } from './habits.ts';
import { withoutLogin } from './sdp.ts';

/** The login of a camera whose address carries none (`streams.logins`). */
interface CameraLogin {
  readonly host: string;
  /** Without it the login is for every port of the host. */
  readonly port?: number | undefined;
  readonly user: string;
  readonly password: string;
}

/** The panel's rules for reaching cameras. */
export interface CameraAccess {
  /** The panel's own control port, which no address and no redirect may lead to. */
  readonly ownPort: () => number | undefined;
  readonly certificates: CertificateTrust;
  /** Read at every opening, so that a change applies to the next one. */
  readonly logins: () => readonly CameraLogin[];
  /** Hosts to ask for UDP first (`streams.udpHosts`). */
  readonly udpHosts: () => readonly string[];
  /** Hosts that may speak old TLS (`streams.oldTlsHosts`). */
  readonly oldTlsHosts: () => readonly string[];
  /** What was learned about cameras while the panel runs. */
  readonly habits: CameraHabits;
}

const RTSP_PORT = 554;
/** RFC 7826 section 22.14. */
const RTSPS_PORT = 322;

/** A parsed camera address: where to connect, what to request, and the login, which is never in a request line. */
export interface CameraUrl {
  /** The whole original address with its login: never shown. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** RTSP over TLS. */
  readonly isSecure: boolean;
  /** The URL for request lines. */
  readonly requestUri: string;
  readonly credentials: Credentials | undefined;
  /** The only port that may get the login; undefined: every port of the host. */
  readonly credentialsPort?: number | undefined;
}

/**
 * Parses an rtsp:// or rtsps:// address, as `cameraAddress` reads it.
 * @param logins for an address without a login; a login for exactly this port wins over one for the whole host.
 * @throws FaceplateError INVALID_REQUEST.
 */
export function parseCameraUrl(text: string, logins: readonly CameraLogin[] = []): CameraUrl {
  const address = cameraAddress(text);
  if (address === undefined) {
    throw new FaceplateError('INVALID_REQUEST', 'url must be an rtsp:// or rtsps:// URL.', { field: 'url' });
  }
  const url = new URL(address);
  const isSecure = url.protocol === 'rtsps:';
  url.hash = '';
  const port = url.port === '' ? (isSecure ? RTSPS_PORT : RTSP_PORT) : Number(url.port);
  const camera = {
    key: url.href,
    host: url.hostname,
    port,
    isSecure,
    requestUri: withoutLogin(url.href),
  };
  if (url.username !== '' || url.password !== '')
    return {
      ...camera,
      credentials: { user: unescapedLogin(url.username), password: unescapedLogin(url.password) },
    };
  const fitting = logins.filter((login) => hostKey(login.host) === hostKey(url.hostname));
  const login =
    fitting.find((login) => login.port === port) ?? fitting.find((login) => login.port === undefined);
  if (login === undefined) return { ...camera, credentials: undefined };
  const { user, password } = login;
  return { ...camera, credentials: { user, password }, credentialsPort: login.port };
}

/** The canonical spelling of a host. */
export function hostKey(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

/** The key under which the panel remembers a camera. */
export function cameraKey({ host, port }: CameraUrl): string {
  return `${hostKey(host)}:${port}`;
}

/**
 * The targets of a camera's redirect (RFC 2326 section 11.3), the likeliest first: for an address without a port on the
 * same host also our own port, as a camera behind a port forwarding does not know it. The login is sent only to the same
 * host, so that a camera cannot give it to another machine, and never from TLS to an unencrypted connection.
 * @returns none if the target is not an rtsp:// or rtsps:// address.
 */
export function redirectTargets(from: CameraUrl, location: string): CameraUrl[] {
  try {
    const url = new URL(location.trim().replace(/^(?:rtsps?:\/\/)+(?=rtsps?:\/\/)/i, ''), from.requestUri);
    const first = withLoginOf(from, parseCameraUrl(url.href));
    if (url.port !== '' || first.host !== from.host || first.port === from.port) return [first];
    url.port = String(from.port);
    return [first, withLoginOf(from, parseCameraUrl(url.href))];
  } catch {
    return [];
  }
}

function withLoginOf(from: CameraUrl, target: CameraUrl): CameraUrl {
  const { credentials, credentialsPort } = from;
  if (target.credentials !== undefined || target.host !== from.host) return target;
  if (from.isSecure && !target.isSecure) return target;
  if (credentialsPort !== undefined && credentialsPort !== target.port) return target;
  return { ...target, credentials, credentialsPort };
}
