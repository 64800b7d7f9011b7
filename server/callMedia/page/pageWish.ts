import type { AudioTerms, Terms, VideoTerms } from '../sdp/terms.ts';
import type { PageWish } from './pageLink.ts';
import type { PageFormat } from './pagePeer.ts';

const VIDEO_PAYLOAD_TYPE = 102;
/** Bit/s of picture that the page sends where the far end names no limit, and at most. */
const USUAL_BITRATE = 1_000_000;
const MAX_BITRATE = 2_000_000;
/** Packet lengths in milliseconds that browsers make on request. */
const PTIMES = [10, 20, 40, 60];
/** Parameters of Opus that the far end may set (RFC 7587 section 6.1); all are whole numbers. */
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
 * What the page is offered for a call: exactly the codecs that the far end agreed on, as nothing is transcoded.
 * @param direction of the call, seen from the panel
 */
export function pageWish(
  { audio, video }: Terms,
  direction: 'sendrecv' | 'sendonly' | 'recvonly',
  isAnswered: boolean,
): PageWish {
  const towardsPage = { sendrecv: 'sendrecv', sendonly: 'recvonly', recvonly: 'sendonly' } as const;
  const bitrate = video?.bitrate ?? USUAL_BITRATE;
  return {
    audio: audioFormat(audio, towardsPage[direction]),
    video: video && videoFormat(video, towardsPage[direction]),
    bitrate: Math.min(bitrate, MAX_BITRATE),
    // Open before the call is answered, so that the first words are not lost; nothing is sent of it until then.
    microphone: direction !== 'recvonly',
    // Its light would tell the room that somebody watches.
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
  return {
    payloadType: codec.payloadType,
    rtpmap: codec.rtpmap,
    fmtp: codec.clockRate === 48_000 && fmtp.length > 0 ? fmtp.join(';') : undefined,
    ptime: ptime !== undefined && PTIMES.includes(ptime) ? ptime : undefined,
    direction,
  };
}

/** Constrained baseline, whatever the far end named: every profile it may have named contains it. */
function videoFormat({ mode }: VideoTerms, direction: PageFormat['direction']): PageFormat {
  return {
    payloadType: VIDEO_PAYLOAD_TYPE,
    // Chromium encodes nothing for another spelling.
    rtpmap: 'H264/90000',
    fmtp: `level-asymmetry-allowed=1;packetization-mode=${mode};profile-level-id=42e01f`,
    ptime: undefined,
    direction,
  };
}
