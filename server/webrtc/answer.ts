import { LOOPBACK } from './ice/loopbackSocket.ts';
import type { Offer, OfferedFormat, OfferedMedia } from './offer.ts';

/** One line that the answer serves. */
interface ServedMedia {
  readonly format: OfferedFormat;
  readonly ssrc: number;
}

/** Our end, as the answer describes it. */
interface AnswerParts {
  readonly port: number;
  readonly iceUfrag: string;
  readonly icePassword: string;
  /** SHA-256 of our certificate. */
  readonly fingerprint: string;
  /** Ties the tracks of one camera together for lip-sync. */
  readonly cname: string;
  readonly video: ServedMedia;
  readonly audio: ServedMedia | undefined;
}

/** Supported feedback. */
const ANSWERED_FEEDBACK = new Set(['nack']);

/**
 * The answer to an offer (RFC 8829 section 5.3): ICE-lite with one host candidate on loopback, DTLS passive,
 * send-only; lines that are not served are rejected with port 0.
 */
export function buildAnswer(offer: Offer, parts: AnswerParts): string {
  const served = new Map<number, ServedMedia>([[offer.videoIndex, parts.video]]);
  if (parts.audio !== undefined && offer.audioIndex !== undefined) served.set(offer.audioIndex, parts.audio);
  const mids = [...offer.media.entries()].flatMap(([index, line]) =>
    served.has(index) && line.mid !== undefined ? [line.mid] : [],
  );
  const lines = ['v=0', `o=- ${parts.video.ssrc} 1 IN IP4 ${LOOPBACK}`, 's=-', 't=0 0', 'a=ice-lite'];
  if (mids.length > 0) lines.push(`a=group:BUNDLE ${mids.join(' ')}`);
  lines.push('a=msid-semantic: WMS *');
  for (const [index, line] of offer.media.entries()) {
    const media = served.get(index);
    lines.push(...(media === undefined ? rejected(line) : accepted(line, media, parts)));
  }
  return `${lines.join('\r\n')}\r\n`;
}

function rejected(line: OfferedMedia): string[] {
  return [
    `m=${line.kind} 0 ${line.protocol} ${line.formatList[0]}`,
    'c=IN IP4 0.0.0.0',
    ...midOf(line),
    'a=inactive',
  ];
}

function accepted(line: OfferedMedia, { format, ssrc }: ServedMedia, parts: AnswerParts): string[] {
  const { payloadType, rtpmap, fmtp, feedback } = format;
  return [
    `m=${line.kind} ${parts.port} ${line.protocol} ${payloadType}`,
    `c=IN IP4 ${LOOPBACK}`,
    `a=rtcp:${parts.port} IN IP4 ${LOOPBACK}`,
    'a=rtcp-mux',
    'a=rtcp-rsize',
    ...midOf(line),
    `a=ice-ufrag:${parts.iceUfrag}`,
    `a=ice-pwd:${parts.icePassword}`,
    `a=fingerprint:sha-256 ${parts.fingerprint}`,
    'a=setup:passive',
    'a=sendonly',
    `a=rtpmap:${payloadType} ${rtpmap}`,
    ...(fmtp === undefined ? [] : [`a=fmtp:${payloadType} ${fmtp}`]),
    ...feedback
      .filter((kind) => ANSWERED_FEEDBACK.has(kind))
      .map((kind) => `a=rtcp-fb:${payloadType} ${kind}`),
    `a=msid:${parts.cname} ${line.kind}`,
    `a=ssrc:${ssrc} cname:${parts.cname}`,
    `a=candidate:1 1 udp 2130706431 ${LOOPBACK} ${parts.port} typ host`,
    'a=end-of-candidates',
  ];
}

const midOf = (line: OfferedMedia): string[] => (line.mid === undefined ? [] : [`a=mid:${line.mid}`]);
