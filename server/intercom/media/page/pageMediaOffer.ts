import { pageCodec } from '../codecs.ts';
import type { AudioTerms, Terms, VideoTerms } from '../sdp/terms.ts';
import type { PageMediaOffer } from './pageLink.ts';
import type { PageFormat } from './pagePeer.ts';

const VIDEO_PAYLOAD_TYPE = 102;
/** Most video in bit/s that the page sends, also if the remote party names no limit. */
const USUAL_BITRATE = 1_000_000;
const MAX_BITRATE = 2_000_000;
/** Packet lengths in milliseconds that browsers can produce. */
const PTIMES = [10, 20, 40, 60];
/** Parameters of Opus that the remote party may set (RFC 7587 section 6.1); all are whole numbers. */
const OPUS_PARAMETERS = [
  'maxplaybackrate',
  'maxaveragebitrate',
  'stereo',
  'cbr',
  'useinbandfec',
  'usedtx',
  'minptime',
];

/**
 * The offer to the page for a call: exactly the codecs that the remote party agreed on, or what stands in
 * for one that browsers do not have.
 * @param direction of the call, seen from the panel
 */
export function pageMediaOffer(
  { audio, video }: Terms,
  direction: 'sendrecv' | 'sendonly' | 'recvonly',
  isAnswered: boolean,
): PageMediaOffer {
  const towardsPage = { sendrecv: 'sendrecv', sendonly: 'recvonly', recvonly: 'sendonly' } as const;
  const bitrate = video?.bitrate ?? USUAL_BITRATE;
  return {
    audio: audioFormat(audio, towardsPage[direction]),
    video: video && videoFormat(video, towardsPage[direction]),
    bitrate: Math.min(bitrate, MAX_BITRATE),
    // Before the answer there is no one to hear or see it.
    microphone: isAnswered && direction !== 'recvonly',
    camera: isAnswered && video?.sends === true,
  };
}

function audioFormat(
  { codec, parameters, ptime }: AudioTerms,
  direction: PageFormat['direction'],
): PageFormat {
  const fmtp = OPUS_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name) ?? '';
    return /^\d{1,7}$/.test(value) ? [`${name}=${value}`] : [];
  });
  const { payloadType, rtpmap } = pageCodec(codec);
  return {
    payloadType,
    rtpmap,
    fmtp:
      codec.conversion === undefined && codec.clockRate === 48_000 && fmtp.length > 0
        ? fmtp.join(';')
        : undefined,
    ptime: ptime !== undefined && PTIMES.includes(ptime) ? ptime : undefined,
    direction,
  };
}

/** Always constrained baseline: every profile that the remote party may have named contains it. */
function videoFormat({ mode }: VideoTerms, direction: PageFormat['direction']): PageFormat {
  return {
    payloadType: VIDEO_PAYLOAD_TYPE,
    // Chromium does not encode with another spelling.
    rtpmap: 'H264/90000',
    fmtp: `level-asymmetry-allowed=1;packetization-mode=${mode};profile-level-id=42e01f`,
    ptime: undefined,
    direction,
  };
}
