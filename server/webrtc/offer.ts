import { FaceplateError } from '../contract/errors.ts';
import { type Fingerprint, readFingerprint } from './fingerprint.ts';
import {
  MAX_SDP_LINES,
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

/** A checked browser's offer: it has all that ICE and DTLS need, and a video line that we can serve. */
export interface Offer {
  readonly media: readonly OfferedMedia[];
  readonly iceUfrag: string;
  readonly fingerprints: readonly Fingerprint[];
  /** Index of the video line that is served. */
  readonly videoIndex: number;
  /** Index of the audio line that may be served; it is bundled with the video, because there is one transport. */
  readonly audioIndex: number | undefined;
}

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

/** Each is compared with the certificate of the handshake; browsers have one. */
const MAX_FINGERPRINTS = 16;
const BOUNDS: SdpBounds = { lines: MAX_SDP_LINES, media: 32, refuse: (what) => refuse(`sdp has ${what}.`) };

/**
 * Reads a browser's offer (RFC 8829) and checks that we can serve it.
 * @throws FaceplateError INVALID_REQUEST with field `sdp`.
 */
export function parseOffer(sdp: string): Offer {
  const { session, media: sections } = readSdp(sdp, BOUNDS);
  if (!/^v=0\s/.test(sdp) || sections.length === 0)
    throw refuse('sdp is not a session description with media.');
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
  const ofVideo = (name: string): string[] => [...video.attributes(name), ...session.attributes(name)];
  const iceUfrag = ofVideo('ice-ufrag')[0];
  if (iceUfrag === undefined || ofVideo('ice-pwd').length === 0)
    throw refuse('sdp has no a=ice-ufrag and a=ice-pwd.');
  const fingerprints = ofVideo('fingerprint').slice(0, MAX_FINGERPRINTS).flatMap(readFingerprint);
  if (fingerprints.length === 0) throw refuse('sdp has no a=fingerprint with SHA-256, SHA-384 or SHA-512.');
  const setup = ofVideo('setup')[0] ?? 'actpass';
  if (setup !== 'actpass' && setup !== 'active') throw refuse('sdp must offer a=setup:actpass or active.');
  const bundled = bundleOf(session, media[videoIndex]!);
  const audioIndex = media.findIndex(
    (line) => line.kind === 'audio' && isServable(line) && line.mid !== undefined && bundled.has(line.mid),
  );
  return { media, iceUfrag, fingerprints, videoIndex, audioIndex: audioIndex < 0 ? undefined : audioIndex };
}

const isServable = (line: OfferedMedia): boolean =>
  line.receives && /^UDP\/TLS\/RTP\/SAVPF?$/.test(line.protocol);

/** Mids that share the video's transport (RFC 9143). */
function bundleOf(session: SdpSection, video: OfferedMedia): ReadonlySet<string> {
  for (const group of session.attributes('group')) {
    const [semantics, ...mids] = group.split(/\s+/);
    if (semantics === 'BUNDLE' && video.mid !== undefined && mids.includes(video.mid)) return new Set(mids);
  }
  return new Set();
}

function readMedia(section: SdpMedia): OfferedMedia {
  const { kind, port, protocol, formatList } = section;
  if (!/^[a-z]+$/.test(kind) || !/^\d+(\/\d+)?$/.test(port) || formatList.length === 0) {
    throw refuse('sdp has a media line that cannot be read.');
  }
  const isRejected = port === '0' && !section.has('bundle-only');
  return {
    kind,
    protocol,
    formatList,
    mid: section.attributes('mid')[0],
    receives: !section.has('sendonly') && !section.has('inactive') && !isRejected,
    formats: section.payloadTypes.map((payloadType) => ({
      payloadType,
      rtpmap: section.ofFormat('rtpmap', payloadType)[0] ?? staticRtpmap(payloadType) ?? '',
      fmtp: section.ofFormat('fmtp', payloadType)[0],
      feedback: section.ofFormat('rtcp-fb', payloadType),
    })),
  };
}

/** The formats that are H.264 with packetization mode 1: the fragmented key frames of cameras need it. */
function h264Formats(line: OfferedMedia): OfferedFormat[] {
  return line.formats.filter(
    (format) =>
      /^H264\/90000$/i.test(format.rtpmap) &&
      /(?:^|;)\s*packetization-mode=1\s*(?:;|$)/.test(format.fmtp ?? ''),
  );
}

/**
 * The video format for a camera. Chromium offers no High profile but decodes it, so we take the nearest: same profile
 * and constraints, same profile, constrained baseline, the first.
 * @param profileLevelId of the camera, six hex digits; undefined if it does not say.
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

/** The offered audio format for a codec as written in an rtpmap (`PCMU/8000`, `opus/48000/2`). */
export function chooseAudio(line: OfferedMedia, rtpmap: string): OfferedFormat | undefined {
  const wanted = rtpmap.toLowerCase();
  return line.formats.find((format) => [wanted, `${wanted}/1`].includes(format.rtpmap.toLowerCase()));
}
