import { isIPv6 } from 'node:net';
import { type AudioCodec, isOffered, PACKET_MS } from '../codecs.ts';
import type { Crypto, Description, Direction } from './description.ts';
import { type AudioTerms, OFFERED_TYPES, type Terms, type VideoTerms } from './terms.ts';

/** Our end of one media line. */
export interface LocalLine {
  readonly port: number;
  readonly direction: Direction;
  /** The key of our packets. */
  readonly crypto: Crypto | undefined;
}

/** The session part of our descriptions. */
interface LocalSession {
  /** One number for the whole call (RFC 8866 section 5.2). */
  readonly id: number;
  /** Grows with every description that differs from the previous one. */
  readonly version: number;
  readonly address: string;
}

/** Constrained baseline, level 3.1: every browser can encode it and every door station can show it. */
const PROFILE_LEVEL_ID = '42e01f';
/** The sixteen digits of RFC 4733 section 3.2. */
const DTMF_EVENTS = '0-15';

/** A line of a description that we do not use: rejected with port 0. */
interface RefusedLine {
  readonly kind: string;
  readonly protocol: string;
  readonly formatList: readonly string[];
}

/** Lines of a description in their order; `undefined` ones are rejected. */
export type OfferedLine =
  | { readonly kind: 'audio'; readonly codecs: readonly AudioCodec[]; readonly local: LocalLine }
  | { readonly kind: 'video'; readonly local: LocalLine }
  | { readonly kind: 'refused'; readonly line: RefusedLine };

/** Our offer. */
export function writeOffer(session: LocalSession, lines: readonly OfferedLine[]): string {
  return write(
    session,
    lines.map((line) => {
      if (line.kind === 'refused') return refused(line.line);
      return line.kind === 'audio' ? offeredAudio(line.codecs, line.local) : offeredVideo(line.local);
    }),
  );
}

/** Our answer: one codec for each line we accept, the others rejected (RFC 3264 section 6). */
export function writeAnswer(
  session: LocalSession,
  offer: Description,
  terms: Terms,
  local: { readonly audio: LocalLine; readonly video: LocalLine | undefined },
): string {
  return write(
    session,
    offer.media.map((line, index) => {
      if (index === terms.audio.index) return answeredAudio(terms.audio, local.audio);
      if (index === terms.video?.index && local.video !== undefined) {
        return answeredVideo(terms.video, local.video);
      }
      return refused(line);
    }),
  );
}

function write({ id, version, address }: LocalSession, media: readonly (readonly string[])[]): string {
  const connection = `IN ${isIPv6(address) ? 'IP6' : 'IP4'} ${address}`;
  const lines = [
    'v=0',
    `o=- ${id} ${version} ${connection}`,
    's=-',
    `c=${connection}`,
    't=0 0',
    ...media.flat(),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

const refused = ({ kind, protocol, formatList }: RefusedLine): string[] => [
  `m=${kind} 0 ${protocol} ${formatList.join(' ') || '0'}`,
];

/** The attributes that do not depend on the codec. */
const ending = ({ direction, crypto }: LocalLine): string[] => [
  ...(crypto === undefined
    ? []
    : [`a=crypto:${crypto.tag} ${crypto.suite} inline:${crypto.master.toString('base64')}`]),
  `a=${direction}`,
];

const protocolOf = ({ crypto }: LocalLine): string => (crypto === undefined ? 'RTP/AVP' : 'RTP/SAVP');

function offeredAudio(known: readonly AudioCodec[], local: LocalLine): string[] {
  const codecs = known.filter(isOffered);
  const rates = new Set([8000, ...codecs.map(({ clockRate }) => clockRate)]);
  const events = OFFERED_TYPES.events.filter(({ clockRate }) => rates.has(clockRate));
  const types = [...codecs, ...events].map(({ payloadType }) => payloadType);
  return [
    `m=audio ${local.port} ${protocolOf(local)} ${types.join(' ')}`,
    ...codecs.map(({ payloadType, rtpmap }) => `a=rtpmap:${payloadType} ${rtpmap}`),
    ...events.flatMap(({ payloadType, clockRate }) => [
      `a=rtpmap:${payloadType} telephone-event/${clockRate}`,
      `a=fmtp:${payloadType} ${DTMF_EVENTS}`,
    ]),
    `a=ptime:${PACKET_MS}`,
    ...ending(local),
  ];
}

function answeredAudio(
  { payloadType, protocol, rtpmap, dtmf, rtcpMux }: AudioTerms,
  local: LocalLine,
): string[] {
  return [
    `m=audio ${local.port} ${protocol} ${[payloadType, ...(dtmf ? [dtmf.payloadType] : [])].join(' ')}`,
    `a=rtpmap:${payloadType} ${rtpmap}`,
    ...(dtmf === undefined
      ? []
      : [
          `a=rtpmap:${dtmf.payloadType} telephone-event/${dtmf.clockRate}`,
          `a=fmtp:${dtmf.payloadType} ${DTMF_EVENTS}`,
        ]),
    `a=ptime:${PACKET_MS}`,
    ...(rtcpMux ? ['a=rtcp-mux'] : []),
    ...ending(local),
  ];
}

const h264 = (payloadType: number, profileLevelId: string, mode: 0 | 1): string[] => [
  `a=rtpmap:${payloadType} H264/90000`,
  `a=fmtp:${payloadType} profile-level-id=${profileLevelId};packetization-mode=${mode}`,
];

/** How the remote party may ask us for a key frame, for all formats of a line. */
const KEY_FRAMES = ['a=rtcp-fb:* nack pli', 'a=rtcp-fb:* ccm fir'];

function offeredVideo(local: LocalLine): string[] {
  const { 1: mode1, 0: mode0 } = OFFERED_TYPES.video;
  return [
    `m=video ${local.port} ${protocolOf(local)} ${mode1} ${mode0}`,
    ...h264(mode1, PROFILE_LEVEL_ID, 1),
    ...h264(mode0, PROFILE_LEVEL_ID, 0),
    ...KEY_FRAMES,
    ...ending(local),
  ];
}

function answeredVideo(terms: VideoTerms, local: LocalLine): string[] {
  const { payloadType, protocol, profileLevelId = PROFILE_LEVEL_ID, mode, rtcpMux } = terms;
  return [
    `m=video ${local.port} ${protocol} ${payloadType}`,
    ...h264(payloadType, profileLevelId, mode),
    ...KEY_FRAMES,
    ...(rtcpMux ? ['a=rtcp-mux'] : []),
    ...ending(local),
  ];
}
