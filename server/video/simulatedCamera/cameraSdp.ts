import type { Clip } from './clip.ts';
import { VIDEO_CLOCK_HZ } from './rtp.ts';

/** Control name of the video, relative to Content-Base. */
export const TRACK = 'trackID=0';

/** What DESCRIBE answers (RFC 4566; H.264 parameters as in RFC 6184, 8.2.1). */
export function describeClip(
  source: { readonly clip: Clip; readonly framesPerSecond: number },
  payloadType: number,
): string {
  const { sps, pps } = source.clip;
  // The three bytes after the SPS's header: profile, constraints, level.
  const profileLevelId = sps.toString('hex', 1, 4);
  const parameterSets = `${sps.toString('base64')},${pps.toString('base64')}`;
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=Faceplate demo camera',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    'a=range:npt=now-',
    'a=control:*',
    `m=video 0 RTP/AVP ${payloadType}`,
    `a=rtpmap:${payloadType} H264/${VIDEO_CLOCK_HZ}`,
    `a=fmtp:${payloadType} packetization-mode=1;profile-level-id=${profileLevelId};sprop-parameter-sets=${parameterSets}`,
    `a=framerate:${source.framesPerSecond}`,
    `a=control:${TRACK}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}
