import { FaceplateError } from '../../contract/errors.ts';
import { CAMERA_SOURCE_WORDS, cameraAddress, unescapedLogin } from '../../contract/fields.ts';
import type { CertificateTrust } from '../../platform/net/trustedTls.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
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
  /** Cameras by name (`streams.cameras`). */
  readonly cameras: () => readonly NamedCamera[];
  /** Hosts to ask for UDP first (`streams.udpHosts`). */
  readonly udpHosts: () => readonly string[];
  /** Hosts that may speak old TLS (`streams.oldTlsHosts`). */
  readonly oldTlsHosts: () => readonly string[];
  /** What was learned about cameras while the panel runs. */
  readonly habits: CameraHabits;
}

/** That of RTSP over TLS: RFC 7826 section 22.14. */
const PORTS: Readonly<Record<string, number>> = {
  'rtsp:': 554,
  'rtsps:': 322,
  'onvif:': 80,
  'http:': 80,
  'https:': 443,
};

/** A parsed camera address: where to connect, what to request, and the login, which is never in a request line. */
export interface CameraUrl {
  /** The whole original address with its login: never shown. */
  readonly key: string;
  readonly kind: 'rtsp' | 'onvif' | 'http';
  readonly host: string;
  readonly port: number;
  /** RTSP or HTTP over TLS. */
  readonly isSecure: boolean;
  /** The URL for request lines. */
  readonly requestUri: string;
  readonly credentials: Credentials | undefined;
  /** The only port that may get the login; undefined: every port of the host. */
  readonly credentialsPort?: number | undefined;
}

/**
 * Parses an rtsp://, rtsps:// or onvif:// address, as `cameraAddress` reads it.
 * @param logins for an address without a login; a login for exactly this port wins over one for the whole host.
 * @throws FaceplateError INVALID_REQUEST.
 */
export function parseCameraUrl(text: string, logins: readonly CameraLogin[] = []): CameraUrl {
  const address = cameraAddress(text);
  const url = address === undefined ? undefined : new URL(address);
  if (url === undefined) throw badUrl(`url ${CAMERA_SOURCE_WORDS}.`);
  if (url.protocol === 'onvif:' && !/^\/?$/.test(`${url.pathname}${url.search}${url.hash}`))
    throw badUrl('url must be onvif:// with a host and a port, and nothing behind them.');
  const { username, password } = url;
  const camera = partsOf(url);
  if (username !== '' || password !== '')
    return { ...camera, credentials: { user: unescapedLogin(username), password: unescapedLogin(password) } };
  const fitting = logins.filter((login) => hostKey(login.host) === hostKey(url.hostname));
  const login =
    fitting.find((login) => login.port === camera.port) ?? fitting.find((login) => login.port === undefined);
  if (login === undefined) return { ...camera, credentials: undefined };
  return {
    ...camera,
    credentials: { user: login.user, password: login.password },
    credentialsPort: login.port,
  };
}

/** An address of `streams.cameras`. @param logins for one without a login of its own */
export function namedCameraUrl({ url, login }: NamedCamera, logins: readonly CameraLogin[]): CameraUrl {
  const isWeb = /^https?:/i.test(url);
  const place = isWeb ? partsOf(new URL(url)) : parseCameraUrl(url);
  if (login !== undefined) return { ...place, credentials: login };
  if (!isWeb) return parseCameraUrl(url, logins);
  // It is found as that of an address with another scheme would be.
  const { credentials, credentialsPort } = parseCameraUrl(
    `rtsp://${new URL(url).hostname}:${place.port}/`,
    logins,
  );
  return { ...place, credentials, credentialsPort };
}

/** A picture's address at a camera, with the login of the camera, where its port may get that. */
export function pictureUrl(address: string, { credentials, credentialsPort }: CameraUrl): CameraUrl {
  return { ...partsOf(new URL(address)), credentials, credentialsPort };
}

function partsOf(url: URL): Omit<CameraUrl, 'credentials'> {
  const { protocol } = url;
  url.hash = '';
  const kind = protocol === 'onvif:' ? 'onvif' : protocol.startsWith('http') ? 'http' : 'rtsp';
  return {
    key: url.href,
    kind,
    host: url.hostname,
    port: url.port === '' ? PORTS[protocol]! : Number(url.port),
    isSecure: protocol === 'rtsps:' || protocol === 'https:',
    requestUri: withoutLogin(url.href),
  };
}

const badUrl = (sentence: string): FaceplateError =>
  new FaceplateError('INVALID_REQUEST', sentence, { field: 'url' });

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
    if (first.kind !== 'rtsp') return [];
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
