import { FaceplateError } from '../../contract/errors.ts';

/** An answer that is no ONVIF. @param why ends the sentence; never the camera's own text */
export function malformedOnvif(why: string): FaceplateError {
  return new FaceplateError('CAMERA_PROTOCOL', `The camera gave an answer that is not valid ONVIF: ${why}.`);
}

/** The clock of a camera counts as wrong from here on, in seconds. */
const CLOCK_IS_OFF = 30;

/** A camera whose clock is wrong refuses a right password. */
function clockWords(offSeconds: number | undefined): string {
  if (offSeconds === undefined || Math.abs(offSeconds) <= CLOCK_IS_OFF) return '';
  const way = offSeconds > 0 ? 'ahead' : 'behind';
  return ` Its clock is ${Math.round(Math.abs(offSeconds))} s ${way}: set it, many cameras refuse right logins for that.`;
}

/** The camera asks for a login, and there is none. */
export function loginWanted(): FaceplateError {
  return new FaceplateError(
    'CAMERA_UNAUTHORIZED',
    'The camera asks for a login: put it into the URL as onvif://user:password@host/, or into the setting streams.cameras.',
  );
}

/** The camera refused each form of a login. @param offSeconds how much its clock is ahead; undefined: not known */
export function loginRefused(offSeconds: number | undefined): FaceplateError {
  return new FaceplateError(
    'CAMERA_UNAUTHORIZED',
    `The camera refused the user name or password (ONVIF).${clockWords(offSeconds)}`,
  );
}

/** It refused them a moment ago: another try could lock the user. */
export function loginWaits(seconds: number, offSeconds: number | undefined): FaceplateError {
  return new FaceplateError(
    'CAMERA_UNAUTHORIZED',
    `The camera refused this login; the panel tries it again in ${seconds} s.${clockWords(offSeconds)}`,
  );
}

/** A fault of the camera that has nothing to do with the login. */
export function onvifFault(what: string, status: number): FaceplateError {
  if (status === 404)
    return new FaceplateError(
      'CAMERA_PROTOCOL',
      'There is no ONVIF at this port (HTTP 404): cameras have it at 80, 8000, 2020, 8899 or 8080.',
    );
  return new FaceplateError('CAMERA_PROTOCOL', `The camera refused ${what} (ONVIF, HTTP ${status}).`);
}
