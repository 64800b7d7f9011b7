import { MAX_SDP_LINES, readSdp, type SdpBounds, type SdpFormat } from '../../webrtc/sdp.ts';
import { malformed } from './failure.ts';

/** One media line of a camera's description. */
export interface MediaDescription {
  /** `video`, `audio`, `application` ... */
  readonly kind: string;
  readonly formats: readonly SdpFormat[];
  /** As written by the camera: absolute, relative, `*` or empty. */
  readonly control: string;
}

export interface SessionDescription {
  readonly media: readonly MediaDescription[];
  readonly control: string;
}

const BOUNDS: SdpBounds = {
  lines: MAX_SDP_LINES,
  media: 32,
  refuse: (what) => malformed(`its description has ${what}`),
};

/**
 * Reads a camera's session description (RFC 8866); unknown lines are skipped.
 * @throws FaceplateError CAMERA_PROTOCOL beyond the limits, and for nothing else.
 */
export function parseSessionDescription(text: string): SessionDescription {
  const { session, media } = readSdp(text, BOUNDS);
  return {
    media: media.map((line) => ({
      kind: line.kind.toLowerCase(),
      formats: line.formats,
      control: line.attributes('control').at(-1) ?? '',
    })),
    control: session.attributes('control').at(-1) ?? '',
  };
}

/**
 * The address of a control attribute (RFC 2326 section C.1.1): absolute ones unchanged, others appended to the base,
 * even after a query string, as cameras with `?channel=1` addresses expect.
 */
export function resolveControl(base: string, control: string): string {
  if (control === '' || control === '*') return base;
  const clean = control.replaceAll(/\s/g, '%20');
  if (/^rtsps?:\/\//i.test(clean)) return withoutLogin(clean);
  return base + (base.endsWith('/') || clean.startsWith('/') ? '' : '/') + clean;
}

/** Removes `user:password@`: it is sent in the Authorization header only. */
export function withoutLogin(url: string): string {
  return url.replace(/^(rtsps?:\/\/)[^/?#]*@/i, '$1');
}
