/** One row of the catalogue: the HTTP status, the sentence used when nothing better is known, and when it is raised. */
interface CatalogueEntry {
  readonly status: number;
  readonly sentence: string;
  readonly when: string;
}

/**
 * Every error a caller can see, over HTTP and in the page. The docs and openapi.json are generated from it.
 * A sentence is written for the person who has to act on it.
 */
export const catalogue = {
  INVALID_REQUEST: {
    status: 400,
    sentence: 'The request is not valid.',
    when: 'Unreadable JSON, a missing or wrong field, a value out of range, bad hex, an unknown extra field.',
  },
  UNAUTHORIZED: {
    status: 401,
    sentence: 'This call needs the header "Authorization: Bearer <token>" with a token of this panel.',
    when: 'No bearer token, or one that is wrong, revoked or expired; a wrong pairing code.',
  },
  FORBIDDEN: {
    status: 403,
    sentence: 'The caller may not do this.',
    when: 'A scope that the token lacks; foreign origin, foreign Host header, a setting that only the owner may change, system package; a device outside the local network, or the panel itself in its place.',
  },
  NOT_APPROVED: {
    status: 403,
    sentence: 'Nobody at the panel said yes.',
    when: 'A call of a command of approval.commands: somebody at the panel said no, nobody said yes within 30 s, or there is no screen to ask on.',
  },
  NOT_FOUND: {
    status: 404,
    sentence: 'There is nothing at this address.',
    when: 'Unknown route, method or port.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    sentence: 'This address does not take this method.',
    when: 'A method that this address does not take; `Allow` names those that it takes.',
  },
  PACKAGE_NOT_FOUND: {
    status: 404,
    sentence: 'No such package is installed.',
    when: 'Unknown package name.',
  },
  SESSION_NOT_FOUND: { status: 404, sentence: 'No stream session has this id.', when: 'Unknown stream id.' },
  PROJECT_NOT_FOUND: { status: 404, sentence: 'No project has this id.', when: 'Unknown project id.' },
  REQUEST_TIMEOUT: {
    status: 408,
    sentence: 'The request was not complete within 30 seconds.',
    when: 'A request that stays incomplete for 30 s (uploads: 30 s without a byte, or less than 1 kB/s over a minute).',
  },
  CONFLICT: {
    status: 409,
    sentence: 'The thing is in use by someone else.',
    when: 'The device is held by another program (EBUSY); another project has this id; nothing to go back to; a setting held by a flag; the 65th token; the 17th TCP connection, or 1 MiB that waits for its device; the ninth UDP port; another certificate than the one to be trusted.',
  },
  LOCKED_OUT: {
    status: 409,
    sentence: 'Another pin is on that must never be on together with this one.',
    when: 'A pin that gpio.interlock of the board profile locks with another one, which is on or goes back on at the end of its pulse.',
  },
  PORT_BUSY: {
    status: 409,
    sentence: 'The port is in use by someone else.',
    when: 'A serial port that another program has locked, or that Modbus uses while bytes are to be sent, or the other way round; a UDP port that another program has.',
  },
  TOO_LARGE: {
    status: 413,
    sentence: 'The request is larger than 1 MiB.',
    when: 'Body over the limit (1 MiB; WHEP offer 256 KiB; pairing 1 KiB; project upload 512 MiB, update 2 GiB) or oversized headers; a request to a device, or its answer, over 1 MiB.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    sentence: 'Send the body as application/json.',
    when: 'Wrong content type.',
  },
  UNSUPPORTED_CODEC: {
    status: 415,
    sentence: 'The camera sends a codec that WebRTC cannot carry.',
    when: 'The camera sends H.265 or another codec that a browser cannot play over WebRTC; the sentence names it.',
  },
  RATE_LIMITED: {
    status: 429,
    sentence: 'Too many wrong tokens from this address. Wait a minute, then use the right one.',
    when: 'Ten wrong tokens, or five wrong pairing codes, from one address within a minute; a page that calls more than 1,000 times per second; the sixth call that would wait for a yes at the panel.',
  },
  INTERNAL: {
    status: 500,
    sentence: 'Faceplate failed. Its log has the details.',
    when: 'Our own fault; the sentence carries the log id, nothing else.',
  },
  SIP_DISABLED: {
    status: 501,
    sentence: 'The intercom is switched off: set sip.enabled.',
    when: 'Intercom call while sip.enabled is false.',
  },
  UNSUPPORTED_HARDWARE: {
    status: 501,
    sentence: 'This panel has no such part.',
    when: 'The board has no such part, or its node did not exist at start (ENOENT, ENODEV, ENXIO).',
  },
  CAMERA_UNREACHABLE: {
    status: 502,
    sentence: 'The camera cannot be reached.',
    when: 'Connection refused, no route, or closed by the camera.',
  },
  CAMERA_UNAUTHORIZED: {
    status: 502,
    sentence: 'The camera refused the user name or password.',
    when: 'RTSP 401 or 403.',
  },
  CAMERA_NOT_FOUND: {
    status: 502,
    sentence: 'The camera has no stream at this path.',
    when: 'RTSP 404 or 454.',
  },
  CAMERA_PROTOCOL: {
    status: 502,
    sentence: 'The camera gave an answer that is not valid RTSP.',
    when: 'Garbage, another RTSP status, or no usable media description.',
  },
  UPDATE_FAILED: {
    status: 502,
    sentence: 'The file did not arrive. Nothing was changed.',
    when: 'A project or an update whose address cannot be reached, is refused, is cut off, or sends nothing for 30 s; an update that the installer refuses.',
  },
  MEDIA_UNREACHABLE: {
    status: 502,
    sentence: 'The sound or picture cannot be fetched or decoded.',
    when: 'A sound or picture whose address fails, is too slow or too large, leads into the panel itself, or is in no known format.',
  },
  HARDWARE_ERROR: {
    status: 502,
    sentence: 'The hardware failed.',
    when: 'A device refused or failed after start; the sentence carries the errno name. A Modbus device answered with an exception, whose name the sentence carries, or with nothing valid.',
  },
  SESSION_LIMIT: {
    status: 503,
    sentence: 'All 8 stream sessions are in use. Close one first.',
    when: 'The ninth stream session.',
  },
  STARTING: {
    status: 503,
    sentence: 'The panel is starting. Try again in a second.',
    when: 'Any call until all parts are up; with Retry-After.',
  },
  SHUTTING_DOWN: { status: 503, sentence: 'The panel is stopping.', when: 'A call while the service stops.' },
  CAMERA_TIMEOUT: {
    status: 504,
    sentence: 'The camera did not answer in time.',
    when: 'No connection or no RTSP answer in time.',
  },
  HARDWARE_TIMEOUT: {
    status: 504,
    sentence: 'The hardware did not answer in time.',
    when: 'A call that exceeds its time limit.',
  },
  PAGE_TIMEOUT: {
    status: 504,
    sentence: 'The kiosk page did not answer within 5 seconds.',
    when: 'An expression whose value, or whose promise, takes the kiosk page longer than 5 s.',
  },
  STORAGE_FULL: {
    status: 507,
    sentence: 'The state could not be written to disk. Nothing was changed.',
    when: 'State or project could not be written; nothing changed.',
  },
} as const satisfies Record<string, CatalogueEntry>;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof catalogue;

/**
 * What a caller receives of a failure, on every surface: the JSON body over HTTP, `error` in the messages of the bridge
 * and of the settings page. The page's promise is rejected with an Error that is made from it.
 */
export interface ErrorAnswer {
  error: string;
  code: ErrorCode;
  field?: string;
}

/** The one error class that reaches callers. Anything else that is thrown becomes INTERNAL. */
export class FaceplateError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;

  /** @param sentence one sentence a person can act on; without it the catalogue's own. Never put a secret into it. */
  constructor(code: ErrorCode, sentence?: string, options: { field?: string; cause?: unknown } = {}) {
    super(sentence ?? catalogue[code].sentence, { cause: options.cause });
    this.name = 'FaceplateError';
    this.code = code;
    this.field = options.field;
  }

  /** HTTP status of this error's code. */
  get status(): number {
    return catalogue[this.code].status;
  }

  toAnswer(): ErrorAnswer {
    return this.field === undefined
      ? { error: this.message, code: this.code }
      : { error: this.message, code: this.code, field: this.field };
  }
}
