import { FaceplateError } from '../../contract/errors.ts';
import type { Fingerprint } from './dtls.ts';

/** One payload type of an offered media line. */
export interface OfferedFormat {
  readonly payloadType: number;
  /** `H264/90000`, `PCMU/8000`, `opus/48000/2` as offered. */
  readonly rtpmap: string;
  /** The parameters as offered; they are echoed in the answer. */
  readonly fmtp: string | undefined;
  readonly feedback: readonly string[];
}

/** One media line of a browser's offer. */
export interface OfferedMedia {
  readonly kind: string;
  readonly protocol: string;
  readonly formatList: readonly string[];
  readonly mid: string | undefined;
  readonly receives: boolean;
  readonly formats: readonly OfferedFormat[];
}

/** A browser's offer, checked: it has what ICE and DTLS need and a video line that we can serve. */
export interface Offer {
  readonly media: readonly OfferedMedia[];
  readonly iceUfrag: string;
  readonly fingerprints: readonly Fingerprint[];
  /** Index of the video line that is served. */
  readonly videoIndex: number;
  /** Index of the audio line that may be served: bundled with the video, as there is one transport. */
  readonly audioIndex: number | undefined;
}

/** Media lines of an offer; a page needs two. */
const MAX_MEDIA = 32;
/** Payload types that need no a=rtpmap (RFC 3551). */
const STATIC_RTPMAPS: Readonly<Record<number, string>> = { 0: 'PCMU/8000', 8: 'PCMA/8000', 9: 'G722/8000' };

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

interface Section {
  readonly first: string;
  readonly lines: string[];
}

/** Cuts an SDP into its session part and its media parts. */
function sectionsOf(sdp: string): { session: Section; media: Section[] } {
  const session: Section = { first: '', lines: [] };
  const media: Section[] = [];
  for (const line of sdp.split(/\r\n|\n|\r/)) {
    if (line.startsWith('m=')) media.push({ first: line.slice(2), lines: [] });
    else if (line !== '') (media.at(-1) ?? session).lines.push(line);
  }
  return { session, media };
}

/** Values of `a=<name>:` lines. */
function attributes(section: Section, name: string): string[] {
  const prefix = `a=${name}:`;
  return section.lines
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length).trim());
}

/**
 * Reads a browser's offer (RFC 8829) and checks that we can serve it.
 * @throws FaceplateError INVALID_REQUEST with field `sdp`.
 */
export function parseOffer(sdp: string): Offer {
  const { session, media: sections } = sectionsOf(sdp);
  if (!/^v=0\s/.test(sdp) || sections.length === 0)
    throw refuse('sdp is not a session description with media.');
  if (sections.length > MAX_MEDIA) throw refuse(`sdp has more than ${MAX_MEDIA} media lines.`);
  const media = sections.map(readMedia);
  const videoIndex = media.findIndex(
    (line) => line.kind === 'video' && isServable(line) && h264Formats(line).length > 0,
  );
  if (videoIndex < 0) {
    throw refuse(
      'sdp must offer to receive video as H264 with packetization-mode=1 (profile UDP/TLS/RTP/SAVPF).',
    );
  }
  const video = sections[videoIndex]!;
  const ofVideo = (name: string): string[] => [...attributes(video, name), ...attributes(session, name)];
  const iceUfrag = ofVideo('ice-ufrag')[0];
  if (iceUfrag === undefined || ofVideo('ice-pwd').length === 0)
    throw refuse('sdp has no a=ice-ufrag and a=ice-pwd.');
  const fingerprints = ofVideo('fingerprint').flatMap(readFingerprint);
  if (fingerprints.length === 0) throw refuse('sdp has no a=fingerprint with SHA-256, SHA-384 or SHA-512.');
  const setup = ofVideo('setup')[0] ?? 'actpass';
  if (setup !== 'actpass' && setup !== 'active') throw refuse('sdp must offer a=setup:actpass or active.');
  const bundled = bundleOf(session, media[videoIndex]!);
  const audioIndex = media.findIndex(
    (line) =>
      line.kind === 'audio' && isServable(line) && line.mid !== undefined && bundled.includes(line.mid),
  );
  return { media, iceUfrag, fingerprints, videoIndex, audioIndex: audioIndex < 0 ? undefined : audioIndex };
}

const isServable = (line: OfferedMedia): boolean =>
  line.receives && /^UDP\/TLS\/RTP\/SAVPF?$/.test(line.protocol);

/** Mids that share the video's transport (RFC 9143). */
function bundleOf(session: Section, video: OfferedMedia): readonly string[] {
  for (const group of attributes(session, 'group')) {
    const [semantics, ...mids] = group.split(/\s+/);
    if (semantics === 'BUNDLE' && video.mid !== undefined && mids.includes(video.mid)) return mids;
  }
  return [];
}

function readMedia(section: Section): OfferedMedia {
  const [kind = '', port = '', protocol = '', ...formatList] = section.first.trim().split(/\s+/);
  if (!/^[a-z]+$/.test(kind) || !/^\d+(\/\d+)?$/.test(port) || formatList.length === 0) {
    throw refuse('sdp has a media line that cannot be read.');
  }
  const directions = ['sendonly', 'inactive'].filter((word) => section.lines.includes(`a=${word}`));
  const isRejected = port === '0' && !section.lines.includes('a=bundle-only');
  return {
    kind,
    protocol,
    formatList,
    mid: attributes(section, 'mid')[0],
    receives: directions.length === 0 && !isRejected,
    formats: formatList
      .filter((format) => /^\d{1,3}$/.test(format))
      .map((format) => readFormat(section, Number(format))),
  };
}

function readFormat(section: Section, payloadType: number): OfferedFormat {
  const ofFormat = (name: string): string[] =>
    attributes(section, name)
      .filter((value) => value.startsWith(`${payloadType} `))
      .map((value) => value.slice(`${payloadType} `.length).trim());
  return {
    payloadType,
    rtpmap: ofFormat('rtpmap')[0] ?? STATIC_RTPMAPS[payloadType] ?? '',
    fmtp: ofFormat('fmtp')[0],
    feedback: ofFormat('rtcp-fb'),
  };
}

function readFingerprint(value: string): Fingerprint[] {
  const match = /^(sha-(?:256|384|512))\s+([0-9a-f]{2}(?::[0-9a-f]{2})+)$/i.exec(value);
  if (match === null) return [];
  return [
    { algorithm: match[1]!.toLowerCase() as Fingerprint['algorithm'], digest: match[2]!.toUpperCase() },
  ];
}

/** The formats that are H.264 with packetization mode 1: what cameras' fragmented key frames need. */
function h264Formats(line: OfferedMedia): OfferedFormat[] {
  return line.formats.filter(
    (format) =>
      /^H264\/90000$/i.test(format.rtpmap) &&
      /(?:^|;)\s*packetization-mode=1\s*(?:;|$)/.test(format.fmtp ?? ''),
  );
}

/**
 * The video format for a camera. Chromium offers no High profile but decodes it; so the nearest is taken:
 * same profile and constraints, same profile, constrained baseline, the first.
 * @param profileLevelId of the camera, six hex digits, undefined when it does not say.
 */
export function chooseH264(line: OfferedMedia, profileLevelId: string | undefined): OfferedFormat {
  const wanted = profileLevelId?.toLowerCase() ?? '';
  const scoreOf = (format: OfferedFormat): number => {
    const offered = /profile-level-id=([0-9a-f]{6})/i.exec(format.fmtp ?? '')?.[1]?.toLowerCase() ?? '420010';
    if (offered.slice(0, 4) === wanted.slice(0, 4)) return 3;
    if (offered.slice(0, 2) === wanted.slice(0, 2)) return 2;
    return offered.startsWith('42e0') ? 1 : 0;
  };
  return h264Formats(line).reduce((best, format) => (scoreOf(format) > scoreOf(best) ? format : best));
}

/** The offered audio format for a codec as it stands in an rtpmap (`PCMU/8000`, `opus/48000/2`). */
export function chooseAudio(line: OfferedMedia, rtpmap: string): OfferedFormat | undefined {
  const wanted = rtpmap.toLowerCase();
  return line.formats.find((format) => [wanted, `${wanted}/1`].includes(format.rtpmap.toLowerCase()));
}
