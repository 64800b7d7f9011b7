import { FaceplateError } from '../../contract/errors.ts';
import type { Credentials } from './auth.ts';
import { withoutLogin } from './sdp.ts';

const RTSP_PORT = 554;
/** RFC 7826 section 22.14. */
const RTSPS_PORT = 322;

/** A camera's address, taken apart: where to connect, what to ask for, and the login, which never stands in a request line. */
export interface CameraUrl {
  /** The whole address with login: tells cameras apart, never shown. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** RTSP over TLS. */
  readonly isSecure: boolean;
  /** What stands in request lines. */
  readonly requestUri: string;
  readonly credentials: Credentials | undefined;
}

/** Takes an rtsp:// or rtsps:// address apart. @throws FaceplateError INVALID_REQUEST. */
export function parseCameraUrl(text: string): CameraUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '' || !/^rtsps?:$/.test(url.protocol)) {
    throw new FaceplateError('INVALID_REQUEST', 'url must be an rtsp:// or rtsps:// URL.', { field: 'url' });
  }
  const isSecure = url.protocol === 'rtsps:';
  url.hash = '';
  const credentials =
    url.username === '' && url.password === ''
      ? undefined
      : { user: decoded(url.username), password: decoded(url.password) };
  return {
    key: url.href,
    host: url.hostname,
    port: url.port === '' ? (isSecure ? RTSPS_PORT : RTSP_PORT) : Number(url.port),
    isSecure,
    requestUri: withoutLogin(url.href),
    credentials,
  };
}

/**
 * Where a camera sends us (RFC 2326 section 11.3). The login goes along only to the same host, so that a camera cannot
 * hand it to another machine, and never from TLS to a connection in the clear.
 * @returns undefined when the target is no rtsp:// or rtsps:// address.
 */
export function redirectTarget(from: CameraUrl, location: string): CameraUrl | undefined {
  try {
    const target = parseCameraUrl(new URL(location, from.requestUri).href);
    if (target.credentials !== undefined || target.host !== from.host) return target;
    if (from.isSecure && !target.isSecure) return target;
    return { ...target, credentials: from.credentials };
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
