import { FaceplateError } from '../contract/errors.ts';
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
}

/** A track whose codec browsers accept unchanged. */
interface AudioTrack {
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
  const level = format.parameters.get('profile-level-id');
  return {
    video: {
      media,
      format,
      profileLevelId: level !== undefined && /^[0-9a-f]{6}$/i.test(level) ? level.toLowerCase() : undefined,
      parameterSets: (format.parameters.get('sprop-parameter-sets') ?? '')
        .split(',', MAX_PARAMETER_SETS)
        .map((text) => Buffer.from(text, 'base64'))
        .filter((nal) => nal.length > 2),
    },
    audio: chooseAudioTrack(description),
  };
}

function chooseAudioTrack(description: SessionDescription): AudioTrack | undefined {
  for (const media of description.media) {
    if (media.kind !== 'audio') continue;
    for (const format of media.formats) {
      const known = AUDIO_CODECS[format.codec];
      if (known === undefined) continue;
      const [clockRate, channels, rtpmap] = known;
      if (format.clockRate === clockRate && format.channels === channels) return { media, format, rtpmap };
    }
  }
  return undefined;
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

/** Number of recent pictures; odd, so that there is a middle one. */
const WINDOW = 9;
/** Ticks of the RTP clock of video per millisecond (RFC 6184 section 8.2.1). */
const TICKS_PER_MS = 90;
/** A longer step is a jump of the camera's clock. */
const LONGEST_MS = 60_000;

/** The time between two pictures by the camera's own timestamps: network delays do not count. */
export class FrameInterval {
  readonly #steps: number[] = [];
  #last: number | undefined;

  /** Takes the timestamp of the next packet. */
  add(timestamp: number): void {
    if (timestamp === this.#last) return;
    const step = this.#last === undefined ? 0 : ((timestamp - this.#last) | 0) / TICKS_PER_MS;
    this.#last = timestamp;
    if (step <= 0 || step > LONGEST_MS) return;
    this.#steps.push(step);
    if (this.#steps.length > WINDOW) this.#steps.shift();
  }

  /** The next timestamp has another base. */
  restart(): void {
    this.#last = undefined;
  }

  /** Milliseconds, the median of the last pictures; undefined before the second picture. */
  get ms(): number | undefined {
    return this.#steps.toSorted((a, b) => a - b)[this.#steps.length >> 1];
  }
}
