import { FaceplateError } from '../../contract/errors.ts';
import type { CameraLogin } from '../access.ts';
import type { Credentials } from './auth.ts';
import { withoutLogin } from './sdp.ts';

const RTSP_PORT = 554;
/** RFC 7826 section 22.14. */
const RTSPS_PORT = 322;

/** A camera's address, taken apart: where to connect, what to ask for, and the login, which never stands in a request line. */
export interface CameraUrl {
  /** The whole address as it was given, with the login that stands in it: never shown. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** RTSP over TLS. */
  readonly isSecure: boolean;
  /** What stands in request lines. */
  readonly requestUri: string;
  readonly credentials: Credentials | undefined;
  /** The only port that may be told them; undefined: every port of the host. */
  readonly credentialsPort?: number | undefined;
}

/**
 * Takes an rtsp:// or rtsps:// address apart.
 * @param logins for an address that carries none; a login for this very port comes before one for the whole host.
 * @throws FaceplateError INVALID_REQUEST.
 */
export function parseCameraUrl(text: string, logins: readonly CameraLogin[] = []): CameraUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '' || !/^rtsps?:$/.test(url.protocol)) {
    throw new FaceplateError('INVALID_REQUEST', 'url must be an rtsp:// or rtsps:// URL.', { field: 'url' });
  }
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
    return { ...camera, credentials: { user: decoded(url.username), password: decoded(url.password) } };
  const fitting = logins.filter((login) => hostKey(login.host) === hostKey(url.hostname));
  const login =
    fitting.find((login) => login.port === port) ?? fitting.find((login) => login.port === undefined);
  if (login === undefined) return { ...camera, credentials: undefined };
  const { user, password } = login;
  return { ...camera, credentials: { user, password }, credentialsPort: login.port };
}

/** One spelling for each host. */
export function hostKey(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

/**
 * Where a camera sends us (RFC 2326 section 11.3). The login goes along only to the same host, so that a camera cannot
 * hand it to another machine, and never from TLS to a connection in the clear.
 * @returns undefined when the target is no rtsp:// or rtsps:// address.
 */
export function redirectTarget(from: CameraUrl, location: string): CameraUrl | undefined {
  try {
    const { credentials, credentialsPort } = from;
    const target = parseCameraUrl(new URL(location, from.requestUri).href);
    if (target.credentials !== undefined || target.host !== from.host) return target;
    if (from.isSecure && !target.isSecure) return target;
    if (credentialsPort !== undefined && credentialsPort !== target.port) return target;
    return { ...target, credentials, credentialsPort };
  } catch {
    return undefined;
  }
}

/** Passwords with a bare `%` are common in camera addresses and taken as they stand. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
