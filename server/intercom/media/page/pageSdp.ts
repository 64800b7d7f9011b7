import { FaceplateError } from '../../../contract/errors.ts';
import { LOOPBACK } from '../../../webrtc/ice/loopbackSocket.ts';
import {
  type Fingerprint,
  MAX_SDP_LINES,
  readFingerprint,
  readSdp,
  type SdpBounds,
} from '../../../webrtc/sdp.ts';

/** One line of our offer to the page, with the one format of the remote party. */
export interface PageLine {
  readonly payloadType: number;
  readonly rtpmap: string;
  readonly fmtp: string | undefined;
  readonly ptime: number | undefined;
  readonly ssrc: number;
  /** Seen from us: `recvonly` receives the page's microphone or camera and sends nothing. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
}

interface PageOfferParts {
  readonly version: number;
  readonly port: number;
  readonly iceUfrag: string;
  readonly icePassword: string;
  /** SHA-256 of our certificate. */
  readonly fingerprint: string;
  /** Ties sound and picture together for lip-sync. */
  readonly cname: string;
  readonly audio: PageLine;
  readonly video: PageLine | undefined;
}

/** The parts of the page's answer that we use. */
interface PageAnswer {
  readonly iceUfrag: string;
  readonly fingerprints: readonly Fingerprint[];
}

/**
 * Our offer to the intercom page (RFC 8829): ICE-lite with one host candidate on loopback. One format per line, because
 * nothing is transcoded between page and remote party.
 */
export function writePageOffer(parts: PageOfferParts): string {
  const { version, audio, video } = parts;
  const lines = [
    'v=0',
    `o=- ${audio.ssrc} ${version} IN IP4 ${LOOPBACK}`,
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=group:BUNDLE audio${video === undefined ? '' : ' video'}`,
    'a=msid-semantic: WMS *',
    ...section('audio', audio, parts, []),
    ...(video === undefined
      ? []
      : section('video', video, parts, ['nack', 'nack pli', 'ccm fir', 'goog-remb'])),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function section(
  kind: 'audio' | 'video',
  { payloadType, rtpmap, fmtp, ptime, ssrc, direction }: PageLine,
  { port, iceUfrag, icePassword, fingerprint, cname }: PageOfferParts,
  feedback: readonly string[],
): string[] {
  return [
    `m=${kind} ${port} UDP/TLS/RTP/SAVPF ${payloadType}`,
    `c=IN IP4 ${LOOPBACK}`,
    `a=rtcp:${port} IN IP4 ${LOOPBACK}`,
    'a=rtcp-mux',
    'a=rtcp-rsize',
    `a=mid:${kind}`,
    `a=ice-ufrag:${iceUfrag}`,
    `a=ice-pwd:${icePassword}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:actpass',
    `a=${direction}`,
    `a=rtpmap:${payloadType} ${rtpmap}`,
    ...(fmtp === undefined ? [] : [`a=fmtp:${payloadType} ${fmtp}`]),
    ...(ptime === undefined ? [] : [`a=ptime:${ptime}`]),
    ...feedback.map((value) => `a=rtcp-fb:${payloadType} ${value}`),
    `a=msid:${cname} ${kind}`,
    `a=ssrc:${ssrc} cname:${cname}`,
    `a=candidate:1 1 udp 2130706431 ${LOOPBACK} ${port} typ host`,
    'a=end-of-candidates',
  ];
}

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

/** Our offer has two media lines at most. */
const BOUNDS: SdpBounds = {
  lines: MAX_SDP_LINES,
  media: 2,
  refuse: (what) => refuse(`The page's answer has ${what}.`),
};

/** Reads the page's answer. @throws FaceplateError INVALID_REQUEST if it refuses the sound or is not an answer. */
export function parsePageAnswer(sdp: string): PageAnswer {
  const { session, media } = readSdp(sdp, BOUNDS);
  const all = (name: string): string[] => [session, ...media].flatMap((section) => section.attributes(name));
  const iceUfrag = all('ice-ufrag').find((value) => /^\S{1,256}$/.test(value));
  const fingerprints = all('fingerprint').flatMap(readFingerprint);
  if (iceUfrag === undefined || fingerprints.length === 0)
    throw refuse("The page's answer lacks ICE or DTLS.");
  if (!media.some(({ kind, port }) => kind === 'audio' && /^[1-9]/.test(port)))
    throw refuse('The page takes no sound.');
  if (all('setup').includes('passive')) throw refuse('The page has to begin the handshake (a=setup:active).');
  return { iceUfrag, fingerprints };
}
