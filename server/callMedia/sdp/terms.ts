import { FaceplateError } from '../../contract/errors.ts';
import { type AudioCodec, audioCodecOf } from '../codecs.ts';
import type { Crypto, Description, Destination, Direction, Format, MediaLine } from './description.ts';

/** What a call wants of its media; see MediaOptions. */
export interface Wishes {
  readonly video: boolean;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
  /** Keys in the SDP are taken and, in our own offers, asked for. */
  readonly secure: boolean;
  /** Codecs that are taken. */
  readonly codecs: readonly AudioCodec[];
}

/** What both ends agreed on for one media line. */
export interface LineTerms {
  /** Which of the media lines it is. */
  readonly index: number;
  readonly protocol: string;
  /** Undefined while the far end has no place for media: it holds the call (c=0.0.0.0, RFC 3264 section 8.4). */
  readonly rtp: Destination | undefined;
  /** Undefined: one port above RTP. */
  readonly rtcp: Destination | undefined;
  readonly rtcpMux: boolean;
  readonly payloadType: number;
  /** What both ends want, as it stands in our description. */
  readonly direction: Direction;
  /** Whether packets may be sent and are expected: as `direction`, but not while the far end holds the call. */
  readonly sends: boolean;
  readonly receives: boolean;
  /** The key that the far end seals its packets with. */
  readonly crypto: Crypto | undefined;
}

export interface AudioTerms extends LineTerms {
  readonly codec: AudioCodec;
  /** The far end's parameters of the codec. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly ptime: number | undefined;
  /** RFC 4733 events, if the far end takes them. */
  readonly dtmf: { readonly payloadType: number; readonly clockRate: number } | undefined;
}

export interface VideoTerms extends LineTerms {
  /** packetization-mode of RFC 6184; a far end of mode 0 takes whole NAL units only. */
  readonly mode: 0 | 1;
  /** As the far end wrote it. */
  readonly profileLevelId: string | undefined;
  /** SPS and PPS of sprop-parameter-sets. */
  readonly parameterSets: readonly Buffer[];
  /** How it can be asked for a key frame over RTCP; `none`: by an INFO. */
  readonly keyFrames: 'pli' | 'fir' | 'none';
  /** Bit/s that it takes at most, where it says so. */
  readonly bitrate: number | undefined;
}

export interface Terms {
  readonly audio: AudioTerms;
  readonly video: VideoTerms | undefined;
}

/**
 * What can be had of a description: the first sound and the first H.264 line that fit, one codec each. The codec is
 * the first of the far end's list that we know (RFC 3264 sections 6.1 and 7).
 * @param mustBeSecure keys were asked for: a line without is no answer to that.
 * @throws FaceplateError UNSUPPORTED_CODEC where there is no sound that fits, INVALID_REQUEST for an unusable address.
 */
export function agree({ media }: Description, wishes: Wishes, mustBeSecure: boolean): Terms {
  const isUsable = (line: MediaLine): boolean => {
    if (line.port === 0) return false;
    const hasKeys = wishes.secure && line.cryptos.length > 0;
    if (/^RTP\/SAVPF?$/.test(line.protocol)) return hasKeys;
    return /^RTP\/AVPF?$/.test(line.protocol) && (hasKeys || !mustBeSecure);
  };
  let audio: AudioTerms | undefined;
  let video: VideoTerms | undefined;
  for (const [index, line] of media.entries()) {
    if (!isUsable(line)) continue;
    if (line.kind === 'audio') audio ??= audioTerms(line, index, wishes);
    else if (line.kind === 'video' && wishes.video) video ??= videoTerms(line, index, wishes);
  }
  if (audio === undefined) {
    throw new FaceplateError('UNSUPPORTED_CODEC', 'The far end offers no sound that this panel can take.');
  }
  return { audio, video };
}

function lineTerms(line: MediaLine, index: number, format: Format, wishes: Wishes): LineTerms {
  const isHeld = /^(0\.0\.0\.0|::)$/.test(line.address);
  const takes = line.direction === 'sendrecv' || line.direction === 'recvonly';
  const gives = line.direction === 'sendrecv' || line.direction === 'sendonly';
  const sends = wishes.direction !== 'recvonly' && takes;
  const receives = wishes.direction !== 'sendonly' && gives;
  return {
    index,
    protocol: line.protocol,
    rtp: isHeld ? undefined : { address: line.address, port: line.port },
    rtcp: line.rtcp,
    rtcpMux: line.rtcpMux,
    payloadType: format.payloadType,
    direction: directionOf(sends, receives),
    sends: sends && !isHeld,
    receives: receives && !isHeld,
    crypto: wishes.secure ? line.cryptos[0] : undefined,
  };
}

/** The direction attribute of an end that sends, receives, both or nothing. */
export function directionOf(sends: boolean, receives: boolean): Direction {
  if (sends) return receives ? 'sendrecv' : 'sendonly';
  return receives ? 'recvonly' : 'inactive';
}

function audioTerms(line: MediaLine, index: number, wishes: Wishes): AudioTerms | undefined {
  for (const format of line.formats) {
    const codec = audioCodecOf(format);
    if (codec === undefined || !wishes.codecs.includes(codec)) continue;
    const events = line.formats.filter((other) => other.codec === 'TELEPHONE-EVENT');
    const event =
      events.find(({ clockRate }) => clockRate === codec.clockRate) ??
      events.find(({ clockRate }) => clockRate === 8000);
    return {
      ...lineTerms(line, index, format, wishes),
      codec,
      parameters: format.parameters,
      ptime: line.ptime,
      dtmf: event && { payloadType: event.payloadType, clockRate: event.clockRate },
    };
  }
  return undefined;
}

function videoTerms(line: MediaLine, index: number, wishes: Wishes): VideoTerms | undefined {
  const modeOf = (format: Format): string => format.parameters.get('packetization-mode') ?? '0';
  const formats = line.formats.filter(
    (format) => format.codec === 'H264' && format.clockRate === 90_000 && /^[01]$/.test(modeOf(format)),
  );
  const format = formats.find((candidate) => modeOf(candidate) === '1') ?? formats[0];
  if (format === undefined) return undefined;
  const level = format.parameters.get('profile-level-id');
  const sets = (format.parameters.get('sprop-parameter-sets') ?? '').split(',').slice(0, 16);
  return {
    ...lineTerms(line, index, format, wishes),
    mode: modeOf(format) === '1' ? 1 : 0,
    profileLevelId: level !== undefined && /^[0-9a-f]{6}$/i.test(level) ? level : undefined,
    parameterSets: sets.map((text) => Buffer.from(text, 'base64')).filter((nal) => nal.length > 2),
    keyFrames: keyFramesOf(format),
    bitrate: line.bitrate,
  };
}

function keyFramesOf({ feedback }: Format): VideoTerms['keyFrames'] {
  if (feedback.some((value) => /^nack\s+pli$/i.test(value))) return 'pli';
  return feedback.some((value) => /^ccm\s+fir$/i.test(value)) ? 'fir' : 'none';
}
