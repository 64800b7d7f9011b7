import { FaceplateError } from '../../contract/errors.ts';
import type { Fingerprint } from '../../media/webrtc/dtls.ts';
import { LOOPBACK } from '../../media/webrtc/loopbackSocket.ts';

/** One line that the page is offered, with the one format that the far end of the call speaks. */
export interface PageLine {
  readonly payloadType: number;
  readonly rtpmap: string;
  readonly fmtp: string | undefined;
  readonly ptime: number | undefined;
  readonly ssrc: number;
  /** Seen from us: `recvonly` takes the page's microphone or camera and sends nothing. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
}

export interface PageOfferParts {
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

/** What is used of the page's answer. */
export interface PageAnswer {
  readonly iceUfrag: string;
  readonly fingerprints: readonly Fingerprint[];
}

/**
 * Our offer to the intercom page (RFC 8829): ICE-lite with one host candidate on loopback. One format for each line, as
 * nothing is transcoded between page and far end.
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

/** Reads the page's answer. @throws FaceplateError INVALID_REQUEST when it refuses the sound, or is none. */
export function parsePageAnswer(sdp: string): PageAnswer {
  const refuse = (sentence: string): FaceplateError =>
    new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
  const iceUfrag = /^a=ice-ufrag:(\S{1,256})\s*$/m.exec(sdp)?.[1];
  const fingerprints = [
    ...sdp.matchAll(/^a=fingerprint:(sha-(?:256|384|512)) ([0-9a-f]{2}(?::[0-9a-f]{2})+)\s*$/gim),
  ].map(([, algorithm, digest]) => ({
    algorithm: algorithm!.toLowerCase() as Fingerprint['algorithm'],
    digest: digest!.toUpperCase(),
  }));
  if (iceUfrag === undefined || fingerprints.length === 0)
    throw refuse("The page's answer lacks ICE or DTLS.");
  if (!/^m=audio [1-9]/m.test(sdp)) throw refuse('The page takes no sound.');
  if (/^a=setup:passive\s*$/m.test(sdp))
    throw refuse('The page has to begin the handshake (a=setup:active).');
  return { iceUfrag, fingerprints };
}
