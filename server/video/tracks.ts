import { FaceplateError } from '../contract/errors.ts';
import { isPps, isSps, splitByteStream } from '../webrtc/rtp/h264.ts';
import type { SdpFormat } from '../webrtc/sdp.ts';
import { malformed } from './rtsp/failure.ts';
import type { MediaDescription, SessionDescription } from './rtsp/sdp.ts';

/** The camera's H.264 track. */
interface VideoTrack {
  readonly media: MediaDescription;
  readonly format: SdpFormat;
  /** Six hex digits, undefined when the camera does not say. */
  readonly profileLevelId: string | undefined;
  /** SPS and PPS of the description (sprop-parameter-sets), often empty. */
  readonly parameterSets: readonly Buffer[];
  /** They are below another media line, or have start codes. */
  readonly areSetsMisplaced: boolean;
}

/** A track whose codec browsers accept unchanged. */
export interface AudioTrack {
  readonly media: MediaDescription;
  readonly format: SdpFormat;
  /** As in an offer, such as `PCMU/8000`. */
  readonly rtpmap: string;
}

export interface CameraTracks {
  readonly video: VideoTrack;
  /** Undefined if the camera sends none that WebRTC supports. */
  readonly audio: AudioTrack | undefined;
}

/** SPS and PPS of a description; cameras have two. */
const MAX_PARAMETER_SETS = 16;
/** Most characters of sets in hex. */
const MAX_CONFIG = 8_192;

/** Audio that is forwarded unchanged: [clock rate, channels, rtpmap]. */
const AUDIO_CODECS: Readonly<Record<string, readonly [number, number, string]>> = {
  PCMU: [8000, 1, 'PCMU/8000'],
  PCMA: [8000, 1, 'PCMA/8000'],
  G722: [8000, 1, 'G722/8000'],
  OPUS: [48_000, 2, 'opus/48000/2'],
};

/** Common names of the codecs that cameras offer instead. */
const CODEC_NAMES: Readonly<Record<string, string>> = {
  H265: 'H.265 (HEVC)',
  HEVC: 'H.265 (HEVC)',
  H266: 'H.266 (VVC)',
  JPEG: 'MJPEG',
  'MP4V-ES': 'MPEG-4 Part 2',
  MPV: 'MPEG-2',
  MP2T: 'an MPEG transport stream',
};

const videoFormatOf = (media: MediaDescription): SdpFormat | undefined =>
  media.formats.find((format) => format.codec === 'H264');

/**
 * Picks what is forwarded: the first H.264 track, and the first audio track that needs no transcoding.
 * @throws FaceplateError UNSUPPORTED_CODEC naming the codec, or CAMERA_PROTOCOL without any video.
 */
export function chooseTracks(description: SessionDescription): CameraTracks {
  const videos = description.media.filter((media) => media.kind === 'video');
  const media = videos.find(videoFormatOf);
  const format = media && videoFormatOf(media);
  if (media === undefined || format === undefined) throw withoutH264(videos);
  if (format.parameters.get('packetization-mode') === '2') {
    throw unsupported('H.264 in interleaved packetization (mode 2)');
  }
  const { parameters } = format;
  const written = (parameters.get('sprop-parameter-sets') ?? '')
    .split(',', MAX_PARAMETER_SETS)
    .map((text) => Buffer.from(text, 'base64'));
  // Some makers write them as a byte stream in hex.
  if (/^(?:00){2,3}01/.test(parameters.get('config') ?? '')) {
    written.push(Buffer.from(parameters.get('config')!.slice(0, MAX_CONFIG), 'hex'));
  }
  const parameterSets = written
    .flatMap(splitByteStream)
    .filter((nal) => nal.length > 2 && (isSps(nal) || isPps(nal)))
    .slice(0, MAX_PARAMETER_SETS);
  const areAsWritten = parameterSets.every((nal) => written.some((bytes) => bytes.equals(nal)));
  return {
    video: {
      media,
      format,
      profileLevelId: levelOf(parameters.get('profile-level-id'), parameterSets.find(isSps)),
      parameterSets,
      areSetsMisplaced: parameterSets.length > 0 && (!areAsWritten || media.borrowed.has(format.payloadType)),
    },
    audio: chooseAudioTrack(description),
  };
}

/** Six hex digits as the camera says; as its SPS says where it says something else. */
function levelOf(written: string | undefined, sps: Buffer | undefined): string | undefined {
  if (written !== undefined && /^[0-9a-f]{6}$/i.test(written)) return written.toLowerCase();
  return sps && sps.length > 3 ? sps.toString('hex', 1, 4) : undefined;
}

function chooseAudioTrack(description: SessionDescription): AudioTrack | undefined {
  return audioTracks(description.media.filter(({ kind }) => kind === 'audio'))[0];
}

/** The formats of these lines that browsers have too, in the order of the camera. */
export function audioTracks(lines: readonly MediaDescription[]): AudioTrack[] {
  return lines.flatMap((media) =>
    media.formats.flatMap((format) => {
      const known = AUDIO_CODECS[format.codec];
      if (known === undefined) return [];
      const [clockRate, channels, rtpmap] = known;
      return format.clockRate === clockRate && format.channels === channels
        ? [{ media, format, rtpmap }]
        : [];
    }),
  );
}

function withoutH264(videos: readonly MediaDescription[]): FaceplateError {
  const codec = videos.flatMap((media) => media.formats).find((format) => format.codec !== '')?.codec;
  if (codec === undefined) return malformed('this path describes no video');
  // The name comes from the camera: it is cut to the length of a name.
  return unsupported(CODEC_NAMES[codec] ?? codec.replaceAll(/[^A-Z0-9.-]/g, '').slice(0, 20));
}

function unsupported(name: string): FaceplateError {
  return new FaceplateError(
    'UNSUPPORTED_CODEC',
    `The camera sends ${name}, which browsers cannot play over WebRTC: set this stream to H.264 in the camera, or use the URL of its second stream.`,
  );
}
