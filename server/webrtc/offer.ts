import { isIP } from 'node:net';
import { FaceplateError } from '../contract/errors.ts';
import { playoutDelayId } from './rtp/rtpPacket.ts';
import {
  type Fingerprint,
  MAX_SDP_LINES,
  readFingerprint,
  readSdp,
  type SdpBounds,
  type SdpMedia,
  type SdpSection,
  staticRtpmap,
} from './sdp.ts';

/** One payload type of an offered media line. */
export interface OfferedFormat {
  readonly payloadType: number;
  /** `H264/90000`, `PCMU/8000`, `opus/48000/2` as offered. */
  readonly rtpmap: string;
  /** The parameters as offered; they are echoed in the answer. */
  readonly fmtp: string | undefined;
  /** The same by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly feedback: readonly string[];
}

/** One media line of a browser's offer. */
export interface OfferedMedia {
  readonly kind: string;
  readonly protocol: string;
  readonly formatList: readonly string[];
  readonly mid: string | undefined;
  readonly receives: boolean;
  /** It sends too: of an audio line, the viewer may talk. */
  readonly sends: boolean;
  /** Identifier of the header extension for the delay of pictures. */
  readonly playoutDelay: number | undefined;
  readonly formats: readonly OfferedFormat[];
}

/** A checked browser's offer: it has all that ICE and DTLS need, and a video line that we can serve. */
export interface Offer {
  readonly media: readonly OfferedMedia[];
  readonly iceUfrag: string;
  readonly fingerprints: readonly Fingerprint[];
  /** Addresses at which the viewer says it is: its host candidates over UDP. Browsers hide theirs behind mDNS names. */
  readonly hosts: readonly string[];
  /** Index of the video line that is served. */
  readonly videoIndex: number;
  /** Index of the audio line that may be served; it is bundled with the video, because there is one transport. */
  readonly audioIndex: number | undefined;
  /** Mids that share the video's transport (RFC 9143); empty where none was offered. */
  readonly bundle: ReadonlySet<string>;
  /**
   * Index of the line that has the transport of a video line without one of its own, as the policy max-bundle makes them: it
   * must not be rejected. webrtcbin of GStreamer begins another transport then and never connects; Chromium refuses the
   * answer. Undefined where the video has its own.
   */
  readonly carrierIndex: number | undefined;
  /** Whether RTP and RTCP may share a port (RFC 5761), and RTCP be short (RFC 5506): no answer has what was not offered. */
  readonly rtcpMux: boolean;
  readonly rtcpRsize: boolean;
}

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

/** Each is compared with the certificate of the handshake; browsers have one. */
const MAX_FINGERPRINTS = 16;
/** Each is compared with the addresses of this machine; viewers name a few for each of their interfaces. */
const MAX_CANDIDATES = 64;
const BOUNDS: SdpBounds = { lines: MAX_SDP_LINES, media: 32, refuse: (what) => refuse(`sdp has ${what}.`) };

/**
 * Reads a viewer's offer (RFC 9429) and checks that we can serve it.
 * @throws FaceplateError INVALID_REQUEST with field `sdp`.
 */
export function parseOffer(sdp: string): Offer {
  const { session, media: sections } = readSdp(sdp, BOUNDS);
  if (!/^v=0\s/.test(sdp) || sections.length === 0)
    throw refuse('sdp is not a session description with media.');
  const media = sections.map((section) => readMedia(section, session));
  const mids = media.flatMap(({ mid }) => mid ?? []);
  if (new Set(mids).size < mids.length) throw refuse('sdp has two media lines with the same a=mid.');
  const videoIndex = media.findIndex(
    (line) => line.kind === 'video' && isServable(line) && h264Formats(line).length > 0,
  );
  if (videoIndex < 0) throw refuse(`sdp must offer to receive video as H264: ${whyNone(media)}.`);
  const group = bundleOf(session, media[videoIndex]!);
  // In a bundle the first line may be the only one that describes the transport (RFC 9429 section 5.2.1).
  const taggedIndex = media.findIndex(({ mid }) => mid !== undefined && mid === group[0]);
  const tagged = sections[taggedIndex];
  const holders = [...new Set([sections[videoIndex]!, tagged ?? session, session])];
  const ofTransport = (name: string): string[] => holders.flatMap((holder) => holder.attributes(name));
  if (ofTransport('ice-lite').length > 0)
    throw refuse('sdp must come from a full ICE agent: the panel is ICE-lite itself, and sends no checks.');
  const iceUfrag = ofTransport('ice-ufrag')[0];
  if (iceUfrag === undefined || ofTransport('ice-pwd').length === 0)
    throw refuse('sdp has no a=ice-ufrag and a=ice-pwd.');
  const fingerprints = ofTransport('fingerprint').slice(0, MAX_FINGERPRINTS).flatMap(readFingerprint);
  if (fingerprints.length === 0) throw refuse('sdp has no a=fingerprint with SHA-256, SHA-384 or SHA-512.');
  const setup = ofTransport('setup')[0] ?? 'actpass';
  if (setup !== 'actpass' && setup !== 'active') throw refuse('sdp must offer a=setup:actpass or active.');
  const bundle = new Set(group);
  const audioIndex = media.findIndex(
    (line) => line.kind === 'audio' && isServable(line) && line.mid !== undefined && bundle.has(line.mid),
  );
  return {
    media,
    iceUfrag,
    fingerprints,
    hosts: ofTransport('candidate').slice(0, MAX_CANDIDATES).flatMap(readHost),
    videoIndex,
    audioIndex: audioIndex < 0 ? undefined : audioIndex,
    bundle,
    carrierIndex:
      sharesTransport(sections[videoIndex]!, tagged) && tagged?.port !== '0' && canIdle(media[taggedIndex])
        ? taggedIndex
        : undefined,
    rtcpMux: ofTransport('rtcp-mux').length > 0,
    rtcpRsize: ofTransport('rtcp-rsize').length > 0,
  };
}

/** The address of a host candidate over UDP (RFC 8839 section 5.1). */
function readHost(candidate: string): string[] {
  const [, component, transport, , address = '', , typ, kind] = candidate.split(/\s+/, 8);
  const isHost = component === '1' && transport?.toLowerCase() === 'udp' && typ === 'typ' && kind === 'host';
  return isHost && isIP(address) !== 0 ? [address] : [];
}

/** The spellings that mean DTLS-SRTP where there is a fingerprint (RFC 9429 section 5.1.2). */
const PROTOCOL = /^(?:(?:UDP\/TLS|TCP\/DTLS)\/RTP\/SAVP|RTP\/S?AVP)F?$/;

/** Whether the video line has the transport of the first line only (`bundle-only`, RFC 9143 section 6, or one ICE user). */
function sharesTransport(video: SdpSection, first: SdpSection | undefined): boolean {
  if (first === undefined || first === video) return false;
  const own = video.attributes('ice-ufrag')[0];
  return video.has('bundle-only') || own === undefined || own === first.attributes('ice-ufrag')[0];
}

/** Whether a line can be accepted without media: what it would carry is known. */
const canIdle = (line: OfferedMedia | undefined): boolean =>
  line !== undefined && PROTOCOL.test(line.protocol) && line.formats.some(({ rtpmap }) => rtpmap !== '');

const isServable = (line: OfferedMedia): boolean => line.receives && PROTOCOL.test(line.protocol);

/** Why no video line can be served; ends a sentence. */
function whyNone(media: readonly OfferedMedia[]): string {
  const lines = media.filter(({ kind }) => kind === 'video');
  if (lines.length === 0) return 'it has no video line';
  const receiving = lines.filter(({ receives }) => receives);
  if (receiving.length === 0) return 'its video line does not receive';
  const servable = receiving.filter(isServable);
  if (servable.length === 0) return 'its video line is not UDP/TLS/RTP/SAVPF';
  const formats = servable.flatMap((line) => line.formats);
  if (formats.some(isH264)) return 'its packetization-mode must be 1 or 0';
  // Written by the viewer: only what looks like names.
  const names = new Set(formats.flatMap(({ rtpmap }) => /^[\w.-]{1,20}(?=\/)/.exec(rtpmap)?.[0] ?? []));
  return names.size === 0 ? 'it names no codec' : `it has ${[...names].slice(0, 8).join(', ')} only`;
}

/** The mids that share the video's transport, in their order (RFC 9143). */
function bundleOf(session: SdpSection, video: OfferedMedia): readonly string[] {
  for (const group of session.attributes('group')) {
    const [semantics, ...mids] = group.split(/\s+/);
    if (semantics === 'BUNDLE' && video.mid !== undefined && mids.includes(video.mid)) return mids;
  }
  return [];
}

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;

function readMedia(section: SdpMedia, session: SdpSection): OfferedMedia {
  const { kind, port, protocol, formatList } = section;
  if (!/^[a-z]+$/.test(kind) || !/^\d+(\/\d+)?$/.test(port) || formatList.length === 0) {
    throw refuse('sdp has a media line that cannot be read.');
  }
  const isRejected = port === '0' && !section.has('bundle-only');
  const direction = section.firstOf(DIRECTIONS) ?? session.firstOf(DIRECTIONS) ?? 'sendrecv';
  return {
    kind,
    protocol,
    formatList,
    mid: section.attributes('mid')[0],
    receives: (direction === 'sendrecv' || direction === 'recvonly') && !isRejected,
    sends: (direction === 'sendrecv' || direction === 'sendonly') && !isRejected,
    playoutDelay: playoutDelayId(section.attributes('extmap')),
    formats: section.formats.map(({ payloadType, parameters, feedback }) => ({
      payloadType,
      rtpmap: section.ofFormat('rtpmap', payloadType)[0] ?? staticRtpmap(payloadType) ?? '',
      fmtp: section.ofFormat('fmtp', payloadType).join(';') || undefined,
      parameters,
      feedback,
    })),
  };
}

const isH264 = ({ rtpmap }: OfferedFormat): boolean => /^H264\/90000$/i.test(rtpmap);

/**
 * The H.264 formats that we can send: those of packetization mode 1, which the fragmented key frames of cameras need; where
 * there is none, those of mode 0, which is meant where none is named (RFC 6184 section 8.1): their receivers take fragments
 * too. Mode 2 sends in another order.
 */
function h264Formats(line: OfferedMedia): readonly OfferedFormat[] {
  const modeOf = ({ parameters }: OfferedFormat): string => parameters.get('packetization-mode') || '0';
  const formats = line.formats.filter(isH264);
  const fragmented = formats.filter((format) => modeOf(format) === '1');
  return fragmented.length > 0 ? fragmented : formats.filter((format) => modeOf(format) === '0');
}

/** Whether a viewer wants to talk: its audio is `sendrecv`. */
export function wantsToTalk({ media, audioIndex }: Offer): boolean {
  return audioIndex !== undefined && media[audioIndex]!.sends;
}

/** Whether a viewer takes H.264 of more than one profile, so that the stream's own matters. */
export function offersProfiles({ media, videoIndex }: Offer): boolean {
  return new Set(h264Formats(media[videoIndex]!).map((format) => profileOf(format).slice(0, 2))).size > 1;
}

/** The profile-level-id of a format: Baseline, level 1, where none is named (RFC 6184 section 8.1). */
function profileOf({ parameters }: OfferedFormat): string {
  const named = parameters.get('profile-level-id') ?? '';
  return /^[0-9a-f]{6}$/i.test(named) ? named.toLowerCase() : '42000a';
}

/**
 * The video format for a camera. Chromium offers no High profile but decodes it, so we take the nearest: same profile
 * and constraints, same profile, constrained baseline, the first.
 * @param profileLevelId of the stream, or else of the camera's description, six hex digits; undefined if neither says.
 */
export function chooseH264(line: OfferedMedia, profileLevelId: string | undefined): OfferedFormat {
  const wanted = profileLevelId?.toLowerCase() ?? '';
  const scoreOf = (format: OfferedFormat): number => {
    const offered = profileOf(format);
    if (offered.slice(0, 4) === wanted.slice(0, 4)) return 3;
    if (offered.slice(0, 2) === wanted.slice(0, 2)) return 2;
    return offered.startsWith('42e0') ? 1 : 0;
  };
  return h264Formats(line).reduce((best, format) => (scoreOf(format) > scoreOf(best) ? format : best));
}

/**
 * The offered audio format for a codec as written in an rtpmap (`PCMU/8000`, `opus/48000/2`). Opus has two channels whatever
 * it says (RFC 7587 section 7); GStreamer's whepsrc leaves them out.
 */
export function chooseAudio(line: OfferedMedia, rtpmap: string): OfferedFormat | undefined {
  const spelled = (text: string): string => text.toLowerCase().replace(/^(opus\/48000)\/2$|\/1$/, '$1');
  return line.formats.find((format) => spelled(format.rtpmap) === spelled(rtpmap));
}

/** Codecs that are converted into each other, so that listening stays where a camera takes the one and sends the other. */
const CONVERTIBLE = new Set(['PCMU/8000', 'PCMA/8000']);

/** Whether sound of the one codec can be sent as the other. */
export const isConvertible = (from: string, to: string): boolean =>
  from !== to && CONVERTIBLE.has(from) && CONVERTIBLE.has(to);

/**
 * The offered format for voice to a camera: best that of its own sound, then one that this can be converted to, then the
 * camera's first.
 * @param takes rtpmaps of what the camera takes, in its order
 * @param sends rtpmap of its sound; undefined if it sends none
 */
export function chooseTalk(
  line: OfferedMedia,
  takes: readonly string[],
  sends: string | undefined,
): { readonly rtpmap: string; readonly format: OfferedFormat } | undefined {
  const offered = takes.flatMap((rtpmap) => {
    const format = chooseAudio(line, rtpmap);
    return format === undefined ? [] : [{ rtpmap, format }];
  });
  const isSame = ({ rtpmap }: { rtpmap: string }): boolean => rtpmap === sends;
  const isNear = ({ rtpmap }: { rtpmap: string }): boolean =>
    sends !== undefined && isConvertible(sends, rtpmap);
  return offered.find(isSame) ?? offered.find(isNear) ?? offered[0];
}
