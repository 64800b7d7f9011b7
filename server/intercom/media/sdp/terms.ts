import { FaceplateError } from '../../../contract/errors.ts';
import { type AudioCodec, audioCodecOf, isOffered } from '../codecs.ts';
import type { Crypto, Description, Destination, Direction, Format, MediaLine } from './description.ts';

/** What a call requests of its media; see MediaOptions. */
export interface Wishes {
  readonly video: boolean;
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
  /** Keys in the SDP are accepted; in our own offers they are required. */
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
  /** Of our packets: the number in the remote party's description. */
  readonly payloadType: number;
  /**
   * Of the remote party's packets: by RFC 3264 section 5.1 the numbers of our description. Many send those of their own.
   */
  readonly receivedTypes: ReadonlySet<number>;
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
  /** The codec as the remote party spells it in a=rtpmap. */
  readonly rtpmap: string;
  /** The remote party's parameters of the codec. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly ptime: number | undefined;
  /** RFC 4733 events, if the remote party accepts them. */
  readonly dtmf: { readonly payloadType: number; readonly clockRate: number } | undefined;
  /** Payload types of the remote party's events, as `receivedTypes`. */
  readonly eventTypes: ReadonlySet<number>;
  /** All payload types that either description names. */
  readonly namedTypes: ReadonlySet<number>;
  /** Terms of the other codecs in the description: the remote party may send these too. */
  readonly others: readonly AudioTerms[];
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

/** Payload types of our own offers that are not in the list of codecs. */
export const OFFERED_TYPES = {
  events: [
    { payloadType: 101, clockRate: 8000 },
    { payloadType: 110, clockRate: 48_000 },
  ],
  /** By packetization mode. */
  video: { 1: 99, 0: 97 },
} as const;

/**
 * The usable lines of a description: the first sound line and the first H.264 line that fit. The codec is the first of
 * the remote party's list that we know (RFC 3264 sections 6.1 and 7), one that no conversion spoils before others.
 * @param mustBeSecure keys are required: a line without keys is not used.
 * @param isAnswer to our offer, so that packets may have the payload types of that offer.
 * @throws FaceplateError UNSUPPORTED_CODEC if no sound fits, INVALID_REQUEST for an unusable address.
 */
export function agree(
  { media }: Description,
  wishes: Wishes,
  mustBeSecure: boolean,
  isAnswer = false,
): Terms {
  const { audio, video } = usableLines(media, wishes, mustBeSecure, isAnswer);
  if (audio === undefined) {
    throw new FaceplateError(
      'UNSUPPORTED_CODEC',
      'The remote party offers no sound that this panel can take.',
    );
  }
  return { audio, video };
}

/**
 * The terms of a later offer in a call that had sound: some PBXs remove it for a while (port 0), which is a kind of hold.
 * @throws FaceplateError as `agree`
 */
export function agreeAgain(
  description: Description,
  wishes: Wishes,
  mustBeSecure: boolean,
  before: Terms,
): Terms {
  const { media } = description;
  if (media.some(({ kind, port }) => kind === 'audio' && port !== 0))
    return agree(description, wishes, mustBeSecure);
  const none = { index: -1, rtp: undefined, crypto: undefined, sends: false, receives: false } as const;
  const { video } = usableLines(media, wishes, mustBeSecure, false);
  return { audio: { ...before.audio, ...none, direction: 'inactive' }, video };
}

function usableLines(
  media: readonly MediaLine[],
  wishes: Wishes,
  mustBeSecure: boolean,
  isAnswer: boolean,
): { readonly audio: AudioTerms | undefined; readonly video: VideoTerms | undefined } {
  let audio: AudioTerms | undefined;
  let video: VideoTerms | undefined;
  for (const [index, line] of media.entries()) {
    const use: LineUse = { line, index, wishes, crypto: cryptoOf(line, wishes, mustBeSecure), isAnswer };
    if (!isUsable(line, use.crypto, mustBeSecure)) continue;
    if (line.kind === 'audio') audio ??= audioTerms(use);
    else if (line.kind === 'video' && wishes.video) video ??= videoTerms(use);
  }
  return { audio, video };
}

/** A line of a description, and how it is used. */
interface LineUse {
  readonly line: MediaLine;
  readonly index: number;
  readonly wishes: Wishes;
  readonly crypto: Crypto | undefined;
  readonly isAnswer: boolean;
}

const isSavp = ({ protocol }: MediaLine): boolean => /^RTP\/SAVPF?$/.test(protocol);

/** Keys beside RTP/AVP are an offer to encrypt, which needs no answer where the signalling is not encrypted. */
function cryptoOf(line: MediaLine, wishes: Wishes, mustBeSecure: boolean): Crypto | undefined {
  return wishes.secure && (mustBeSecure || isSavp(line)) ? line.cryptos[0] : undefined;
}

function isUsable(line: MediaLine, crypto: Crypto | undefined, mustBeSecure: boolean): boolean {
  if (line.port === 0) return false;
  if (isSavp(line)) return crypto !== undefined;
  return /^RTP\/AVPF?$/.test(line.protocol) && (crypto !== undefined || !mustBeSecure);
}

function lineTerms(
  { line, index, wishes, crypto }: LineUse,
  payloadType: number,
  receivedTypes: Iterable<number>,
): LineTerms {
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
    payloadType,
    receivedTypes: new Set(receivedTypes),
    direction: directionOf(sends, receives),
    sends: sends && !isHeld,
    receives: receives && !isHeld,
    crypto,
  };
}

/** The direction attribute of an end that sends, receives, does both or neither. */
export function directionOf(sends: boolean, receives: boolean): Direction {
  if (sends) return receives ? 'sendrecv' : 'sendonly';
  return receives ? 'recvonly' : 'inactive';
}

function audioTerms(use: LineUse): AudioTerms | undefined {
  const { line, wishes, isAnswer } = use;
  const known = line.formats.flatMap((format) => {
    const codec = audioCodecOf(format);
    return codec !== undefined && wishes.codecs.includes(codec) ? [{ format, codec }] : [];
  });
  const events = line.formats.filter((format) => format.codec === 'TELEPHONE-EVENT');
  const ours = isAnswer
    ? [...wishes.codecs.filter(isOffered), ...OFFERED_TYPES.events].map(({ payloadType }) => payloadType)
    : [];
  const termsOf = ({ format, codec }: (typeof known)[number]): AudioTerms => {
    const same = known.filter((other) => other.codec === codec).map((other) => other.format.payloadType);
    if (isAnswer && isOffered(codec)) same.push(codec.payloadType);
    const event =
      events.find(({ clockRate }) => clockRate === codec.clockRate) ??
      events.find(({ clockRate }) => clockRate === 8000) ??
      events[0];
    return {
      ...lineTerms(use, format.payloadType, same),
      codec,
      rtpmap: spelling(format, codec),
      parameters: format.parameters,
      ptime: line.ptime,
      dtmf: event && { payloadType: event.payloadType, clockRate: event.clockRate || 8000 },
      eventTypes: new Set(
        [...events, ...(isAnswer ? OFFERED_TYPES.events : [])].map(({ payloadType }) => payloadType),
      ),
      namedTypes: new Set([...ours, ...line.formats.map(({ payloadType }) => payloadType)]),
      others: [],
    };
  };
  const all = [...new Map(known.toReversed().map((one) => [one.codec, one])).values()].toReversed();
  const first = all.find(({ codec }) => isOffered(codec)) ?? all[0];
  return first && { ...termsOf(first), others: all.filter((one) => one !== first).map(termsOf) };
}

/** The same codec in the remote party's words: devices compare them as texts. */
function spelling({ codec, clockRate, channels }: Format, { rtpmap }: AudioCodec): string {
  const theirs = `${codec}${clockRate === 0 ? '' : `/${clockRate}`}${channels === 1 ? '' : `/${channels}`}`;
  return theirs === rtpmap.toUpperCase() ? rtpmap : theirs;
}

function videoTerms(use: LineUse): VideoTerms | undefined {
  const { line, isAnswer } = use;
  const modeOf = (format: Format): string => format.parameters.get('packetization-mode') ?? '0';
  const formats = line.formats.filter(
    (format) => format.codec === 'H264' && format.clockRate === 90_000 && /^[01]$/.test(modeOf(format)),
  );
  const format = formats.find((candidate) => modeOf(candidate) === '1') ?? formats[0];
  if (format === undefined) return undefined;
  const level = format.parameters.get('profile-level-id');
  const sets = (format.parameters.get('sprop-parameter-sets') ?? '').split(',').slice(0, 16);
  const types = formats.map(({ payloadType }) => payloadType);
  return {
    ...lineTerms(use, format.payloadType, [
      ...types,
      ...(isAnswer ? Object.values(OFFERED_TYPES.video) : []),
    ]),
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
