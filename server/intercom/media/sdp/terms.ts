import { FaceplateError } from '../../../contract/errors.ts';
import { type AudioCodec, audioCodecOf } from '../codecs.ts';
import type { Crypto, Description, Destination, Direction, Format, MediaLine } from './description.ts';

/** What a call requests of its media; see MediaOptions. */
export interface Wishes {
  readonly video: boolean;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
  /** Keys in the SDP are accepted and, in our own offers, required. */
  readonly secure: boolean;
  /** Accepted codecs. */
  readonly codecs: readonly AudioCodec[];
}

/** The negotiated terms of one media line. */
export interface LineTerms {
  /** Index of the media line. */
  readonly index: number;
  readonly protocol: string;
  /** Undefined while the remote party has no address for media: it holds the call (c=0.0.0.0, RFC 3264 section 8.4). */
  readonly rtp: Destination | undefined;
  /** Undefined: one port above RTP. */
  readonly rtcp: Destination | undefined;
  readonly rtcpMux: boolean;
  readonly payloadType: number;
  /** The negotiated direction, as in our description. */
  readonly direction: Direction;
  /**
   * Whether packets may be sent and are expected: follows `direction`, but is off while the remote party holds the
   * call.
   */
  readonly sends: boolean;
  readonly receives: boolean;
  /** The key with which the remote party encrypts its packets. */
  readonly crypto: Crypto | undefined;
}

export interface AudioTerms extends LineTerms {
  readonly codec: AudioCodec;
  /** The remote party's parameters of the codec. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly ptime: number | undefined;
  /** RFC 4733 events, if the remote party accepts them. */
  readonly dtmf: { readonly payloadType: number; readonly clockRate: number } | undefined;
}

export interface VideoTerms extends LineTerms {
  /** packetization-mode of RFC 6184; with mode 0 the remote party accepts whole NAL units only. */
  readonly mode: 0 | 1;
  /** As written by the remote party. */
  readonly profileLevelId: string | undefined;
  /** SPS and PPS from sprop-parameter-sets. */
  readonly parameterSets: readonly Buffer[];
  /** How to request a key frame over RTCP; `none`: by INFO. */
  readonly keyFrames: 'pli' | 'fir' | 'none';
  /** Highest bit rate in bit/s that it accepts, if it names one. */
  readonly bitrate: number | undefined;
}

export interface Terms {
  readonly audio: AudioTerms;
  readonly video: VideoTerms | undefined;
}

/**
 * The usable lines of a description: the first sound line and the first H.264 line that fit, with one codec each. The
 * codec is the first of the remote party's list that we know (RFC 3264 sections 6.1 and 7).
 * @param mustBeSecure keys were required: a line without keys is not an answer.
 * @throws FaceplateError UNSUPPORTED_CODEC if no sound fits, INVALID_REQUEST for an unusable address.
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
    throw new FaceplateError(
      'UNSUPPORTED_CODEC',
      'The remote party offers no sound that this panel can take.',
    );
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

/** The direction attribute of an end that sends, receives, does both or neither. */
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
