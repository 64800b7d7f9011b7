import type { ErrorCode, FaceplateError } from '../../contract/errors.ts';
import type { CameraInspection } from '../contract.ts';
import { speaksOldTls } from '../rtsp/failure.ts';
import type { PictureFault } from './pictureCheck.ts';

/** The observations of the video that the verdict needs. */
interface Seen {
  readonly bFrames: boolean;
  readonly packets: number;
  /** Why the browser got no picture that it can decode; undefined if it did. */
  readonly fault: PictureFault | undefined;
}

type CameraCode = Extract<ErrorCode, `CAMERA_${string}` | 'UNSUPPORTED_CODEC'>;

/** The result of an inspection, in words. */
export interface Verdict {
  readonly ok: boolean;
  readonly code: CameraInspection['code'];
  /** One sentence. */
  readonly verdict: string;
  /** What to change; empty if nothing. */
  readonly hint: string;
}

const HINTS: Readonly<Record<CameraCode, string>> = {
  UNSUPPORTED_CODEC:
    'Set the video encoding of this stream to H.264 in the camera, without "+" or "smart" variants, or use the URL of its second stream.',
  CAMERA_UNREACHABLE:
    'Check power, network and address, and that RTSP is switched on in the camera (usually port 554).',
  CAMERA_UNAUTHORIZED:
    'Put the login of a camera user who may watch video into the URL or the setting streams.logins; in the URL write @ : / in a password as %40 %3A %2F. Many cameras lock a user for minutes after wrong logins.',
  CAMERA_NOT_FOUND: "Look up the RTSP path of the stream in the camera's manual or its ONVIF profile.",
  CAMERA_PROTOCOL:
    "Check that the port is the camera's RTSP port and the path that of a video stream; close other viewers, since cameras serve only a few.",
  CAMERA_TIMEOUT:
    'Restart the camera; if it stays silent, a firewall may drop the connection, or the camera serves too many viewers.',
};

/** The verdict on a camera that sends nothing after PLAY. */
export const NO_MEDIA: Verdict = {
  ok: false,
  code: 'NO_MEDIA',
  verdict: 'The camera answers and starts the stream, but sends no video.',
  hint: 'Restart the camera, and check that this stream is switched on in its video settings.',
};

const FAULTS: Readonly<Record<PictureFault, Pick<Verdict, 'verdict' | 'hint'>>> = {
  noKeyFrame: {
    verdict: 'The camera sends video, but no key frame for many seconds, so viewers wait long for a picture.',
    hint: 'Set the I-frame interval (GOP length) to one or two seconds, and no intra refresh.',
  },
  noParameterSets: {
    verdict:
      'The camera sends key frames without usable parameter sets (SPS and PPS), so no browser can decode them.',
    hint: 'Restart the camera or update it, set another profile or resolution, or use the URL of its second stream.',
  },
  incomplete: {
    verdict: 'No key frame of the camera arrives whole: parts of each are missing.',
    hint: 'Check the network to the camera, and lower the bit rate of this stream.',
  },
};

/** The verdict on a camera that played. */
export function verdictOf({ bFrames, packets, fault }: Seen): Verdict {
  if (packets === 0) return NO_MEDIA;
  if (fault !== undefined) return verdictOfFault(fault);
  if (bFrames) {
    return {
      ok: false,
      code: 'B_FRAMES',
      verdict: 'The camera sends B-frames, which WebRTC players show jerkily or not at all.',
      hint: 'Switch B-frames off in the camera, or set the profile to Baseline.',
    };
  }
  return { ok: true, code: 'OK', verdict: 'The camera plays in a browser.', hint: '' };
}

/** The verdict on a camera whose pictures no viewer gets. */
export function verdictOfFault(fault: PictureFault): Verdict {
  return { ok: false, code: 'NO_KEY_FRAME', ...FAULTS[fault] };
}

/** The verdict on a camera that could not be played. */
export function verdictOfError(
  error: FaceplateError,
  { isSecure, hasVideo }: { readonly isSecure: boolean; readonly hasVideo: boolean },
): Verdict {
  const verdict = error.message;
  if (!hasVideo) {
    return {
      ok: false,
      code: 'NO_VIDEO',
      verdict: 'The camera describes no video at this path.',
      hint: 'Use the path of a video stream; this one may carry sound or metadata only.',
    };
  }
  const code: CameraCode = isCameraCode(error.code) ? error.code : 'CAMERA_PROTOCOL';
  if (isSecure && code === 'CAMERA_PROTOCOL') {
    const hint = speaksOldTls(error)
      ? 'Update the camera or set its TLS to 1.2; or use its rtsp:// address; or allow old TLS for this camera alone in the setting streams.oldTlsHosts.'
      : "Trust its certificate on the settings page, install one that the panel's system trusts, or use the camera's rtsp:// address.";
    return { ok: false, code: 'CAMERA_TLS', verdict, hint };
  }
  return { ok: false, code, verdict, hint: HINTS[code] };
}

/** Whether an error says something of a camera. */
export function isCameraCode(code: ErrorCode): code is CameraCode {
  return Object.hasOwn(HINTS, code);
}
