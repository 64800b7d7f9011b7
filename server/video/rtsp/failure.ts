import { FaceplateError } from '../../contract/errors.ts';

/** Hints for an installer about a status that concerns neither login nor path. */
const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: 'it did not understand the request',
  453: 'it serves no more viewers; close another one or use its second stream',
  461: 'it sends neither over TCP nor over UDP to one receiver',
  500: 'it failed',
  503: 'it is busy',
};

/** ONVIF Streaming Specification, "back channel connection". */
export const BACK_CHANNEL = { Require: 'www.onvif.org/ver20/backchannel' };
/** Status codes that ask for another try (RFC 2326 section 11.3). */
export const STATUS = {
  invalidRange: 457,
  unsupportedTransport: 461,
  /** For an address that the camera understands in another way. */
  misplaced: new Set([400, 404, 405, 451, 454, 459]),
  /** Of a camera without a back channel: 551 by the rules, the others in fact. */
  noBackChannel: new Set([400, 404, 500, 551]),
} as const;

/** The error of an RTSP answer other than 200 (RFC 2326 section 7.1.1). */
export function failureOfStatus(method: string, status: number, hasCredentials: boolean): FaceplateError {
  if (status === 401 && !hasCredentials) {
    return new FaceplateError(
      'CAMERA_UNAUTHORIZED',
      'The camera asks for a login (RTSP 401): put it into the URL as rtsp://user:password@host/path, or into the setting streams.logins.',
    );
  }
  if (status === 401 || status === 403) {
    return new FaceplateError(
      'CAMERA_UNAUTHORIZED',
      `The camera refused the user name or password (RTSP ${status}).`,
    );
  }
  if (status === 404 || status === 454) {
    return new FaceplateError('CAMERA_NOT_FOUND', `The camera has no stream at this path (RTSP ${status}).`);
  }
  const hint = STATUS_HINTS[status];
  return new FaceplateError(
    'CAMERA_PROTOCOL',
    `The camera answered ${method} with RTSP ${status}${hint === undefined ? '' : `: ${hint}`}.`,
  );
}

/** OpenSSL's refusals of versions, ciphers and keys that are too weak by now, ours and those of the camera. */
const OLD_TLS =
  /^ERR_SSL_(?:TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|(?:SSLV3|TLSV1|SSL\/TLS)_ALERT_(?:HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY)|NO_SHARED_CIPHER|UNSAFE_LEGACY_RENEGOTIATION_DISABLED|LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED|(?:DH|EE|CA)_KEY_TOO_SMALL|CA_MD_TOO_WEAK|BAD_DH_VALUE)$/;

/** Whether a camera was refused because it speaks only old TLS. */
export function speaksOldTls(error: FaceplateError): boolean {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return error.code === 'CAMERA_PROTOCOL' && OLD_TLS.test(code ?? '');
}

/**
 * The error of a TCP connection that failed or broke; the sentence carries the errno name.
 * @param allowsOld whether old TLS was allowed already
 */
export function failureOfSocket(error: NodeJS.ErrnoException, allowsOld = false): FaceplateError {
  const name = error.code ?? 'unknown error';
  if (name === 'ETIMEDOUT') return noAnswer('the connection');
  if (OLD_TLS.test(name) && !allowsOld) {
    return new FaceplateError(
      'CAMERA_PROTOCOL',
      `This camera speaks only old TLS (${name}), which others can break: use its rtsp:// address, or put its host into the setting streams.oldTlsHosts.`,
      { cause: error },
    );
  }
  if (name === 'EPROTO' || name.startsWith('ERR_SSL_') || name.startsWith('ERR_TLS_')) {
    return new FaceplateError(
      'CAMERA_PROTOCOL',
      `The camera does not speak TLS on this port (${name}): use its rtsp:// address, or its RTSPS port (322).`,
      { cause: error },
    );
  }
  const sentence =
    name === 'ENOTFOUND' || name === 'EAI_AGAIN'
      ? `The camera's host name cannot be resolved (${name}).`
      : `The camera cannot be reached (${name}).`;
  return new FaceplateError('CAMERA_UNREACHABLE', sentence, { cause: error });
}

/** The camera closed the connection. */
export function closedByCamera(): FaceplateError {
  return new FaceplateError('CAMERA_UNREACHABLE', 'The camera closed the connection.');
}

/** Our requests pile up unread. */
export function doesNotRead(): FaceplateError {
  return new FaceplateError('CAMERA_PROTOCOL', 'The camera does not read what it is sent.');
}

/** It asks so often that answering it would keep the panel busy. */
export function asksTooOften(): FaceplateError {
  return new FaceplateError('CAMERA_PROTOCOL', 'The camera sends too many requests.');
}

/** The address leads to the panel itself. */
export function forbiddenTarget(): FaceplateError {
  return new FaceplateError('FORBIDDEN', "The camera's address is the panel's own control port.");
}

/** A step was not answered in time. @param step what we waited for, such as `DESCRIBE`. */
export function noAnswer(step: string): FaceplateError {
  return new FaceplateError('CAMERA_TIMEOUT', `The camera did not answer in time (${step}).`);
}

/** Data that is not RTSP, or not usable. @param what ends the sentence; never the camera's own text. */
export function malformed(what: string): FaceplateError {
  return new FaceplateError('CAMERA_PROTOCOL', `The camera gave an answer that is not valid RTSP: ${what}.`);
}
