import { type ConnectionPlace, WebRtcConnection } from './connection.ts';
import type { DtlsCertificate } from './dtls/dtls.ts';
import { LOOPBACK, type LoopbackSocket } from './ice/loopbackSocket.ts';
import type { Offer, OfferedFormat, OfferedMedia } from './offer.ts';
import type { Feedback } from './rtp/rtcp.ts';
import { PLAYOUT_DELAY, parseRtpPacket, type RtpPacket, shownAtOnce, shownEvenly } from './rtp/rtpPacket.ts';

/** Packets kept for retransmission: about two seconds of 1080p, as many as a new viewer gets at once. */
const VIDEO_RING = 1024;
/** Audio is not retransmitted; the ring only keeps buffers alive until the socket has sent them. */
const AUDIO_RING = 32;
const MAX_RESENT = 256;
/** A viewer that misses this share of its packets for this time, in milliseconds, cannot keep up. */
const HEAVY_LOSS = 0.25;
const HEAVY_LOSS_MS = 1_000;

interface PeerEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  /** The viewer cannot decode what it has (PLI or FIR). */
  onKeyFrameWanted(): void;
  /** It misses more than can be sent again: pictures up to the next key frame are useless for it. */
  onOverrun(): void;
  /** A packet of the viewer's voice. */
  onVoice?(packet: RtpPacket): void;
  /** The viewer ended it or the handshake failed; called at most once, never after `close`. */
  onClosed(reason: string): void;
}

interface PeerOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly offer: Offer;
  readonly video: OfferedFormat;
  readonly audio: OfferedFormat | undefined;
  /** The format in which the viewer talks; undefined: it may not. */
  readonly talk?: OfferedFormat | undefined;
  readonly events: PeerEvents;
}

/** One viewer: answers its offer, resends what it missed, and reports when it cannot keep up. */
export class WebRtcPeer {
  /** Takes the media; a track that is not in the answer is skipped. */
  readonly connection: WebRtcConnection;
  readonly #options: PeerOptions;
  /** Identifier of the header extension by which pictures are shown at once. */
  readonly #delayId: number | undefined;
  #reportedLost = 0;
  /** Since when every report has shown heavy loss. */
  #heavyLossSince: number | undefined;

  constructor(options: PeerOptions) {
    const { socket, certificate, video, audio, talk, events } = options;
    this.#options = options;
    // With sound, a browser must be free to let pictures wait for it.
    const isSilent = audio === undefined && talk === undefined;
    this.#delayId = isSilent ? options.offer.media[options.offer.videoIndex]!.playoutDelay : undefined;
    this.connection = new WebRtcConnection({
      socket,
      certificate,
      maxResent: MAX_RESENT,
      tracks: {
        video: {
          payloadType: video.payloadType,
          ringSize: VIDEO_RING,
          extension: this.#delayId === undefined ? undefined : shownAtOnce(this.#delayId),
        },
        audio: audio && { payloadType: audio.payloadType, ringSize: AUDIO_RING },
      },
      events: {
        onReady: () => events.onReady(),
        onFeedback: (feedback) => this.#onFeedback(feedback),
        ...(talk && { onRtp: (packet) => this.#onRtp(packet, talk.payloadType) }),
        onClosed: (reason) => events.onClosed(reason),
      },
    });
  }

  /**
   * Opens a further way to a viewer whose offer says that it is on this machine, but not on loopback; before `open`.
   * @param own reads the IPv4 addresses of this machine besides loopback
   */
  async prepare(own: () => readonly string[]): Promise<void> {
    const { hosts } = this.#options.offer;
    if (hosts.length === 0 || hosts.some((address) => /^(?:127\.|::1$)/.test(address))) return;
    const mine = own();
    const host = hosts.find((address) => mine.includes(address));
    if (host !== undefined) await this.connection.openHost(host);
  }

  /** Attaches to the socket. @returns the SDP answer. */
  open(): string {
    const { offer, video, audio, talk } = this.#options;
    const { place, ssrcs } = this.connection;
    this.connection.accept(offer);
    return buildAnswer(offer, {
      ...place,
      video: { format: video, ssrc: ssrcs.video, delayId: this.#delayId },
      audio: (audio ?? talk) && { format: audio, talk, ssrc: ssrcs.audio },
    });
  }

  /** Whether its browser may delay pictures, so that those that come late do not show. Without effect on one with sound. */
  set delaysPictures(isAllowed: boolean) {
    if (this.#delayId !== undefined)
      this.connection.extend('video', isAllowed ? shownEvenly(this.#delayId) : shownAtOnce(this.#delayId));
  }

  /** Packets that the viewer missed, by its own count. */
  get reportedLost(): number {
    return this.#reportedLost;
  }

  #onRtp(data: Buffer, payloadType: number): void {
    const packet = parseRtpPacket(data);
    if (packet?.payloadType === payloadType) this.#options.events.onVoice?.(packet);
  }

  #onFeedback(feedback: Feedback): void {
    if (feedback.kind === 'report') this.#onReport(feedback.lost, feedback.lostShare);
    else if (feedback.kind === 'keyFrame') this.#options.events.onKeyFrameWanted();
    else if (feedback.sequences.some((sequence) => this.connection.hasForgotten(sequence)))
      this.#options.events.onOverrun();
    else this.connection.resend(feedback.sequences);
  }

  /** A lost burst is sent again; only lasting loss means that the viewer receives more than it can take. */
  #onReport(lost: number, lostShare: number): void {
    const { heardAt } = this.connection;
    this.#reportedLost = lost;
    if (lostShare < HEAVY_LOSS) {
      this.#heavyLossSince = undefined;
      return;
    }
    this.#heavyLossSince ??= heardAt;
    if (heardAt - this.#heavyLossSince < HEAVY_LOSS_MS) return;
    this.#heavyLossSince = undefined;
    this.#options.events.onOverrun();
  }
}

/** One line that the answer serves. */
interface ServedMedia {
  /** What we send; undefined: nothing. */
  readonly format: OfferedFormat | undefined;
  /** What the viewer sends; without it nothing. */
  readonly talk?: OfferedFormat | undefined;
  readonly ssrc: number;
  readonly delayId?: number | undefined;
}

/** Our end, as the answer describes it. */
interface AnswerParts extends ConnectionPlace {
  readonly video: ServedMedia;
  readonly audio: ServedMedia | undefined;
}

/** Supported feedback. */
const ANSWERED_FEEDBACK = new Set(['nack']);

/**
 * The answer to an offer (RFC 9429 section 5.3): ICE-lite with a host candidate on loopback, DTLS passive, send-only
 * but for the voice of a viewer; lines that are not served, unless they have the video's transport, are rejected with port 0, and share the video's transport in name: pion, aiortc,
 * MediaMTX and GStreamer refuse a description without it.
 */
export function buildAnswer(offer: Offer, parts: AnswerParts): string {
  const served = new Map<number, ServedMedia>([[offer.videoIndex, parts.video]]);
  if (parts.audio !== undefined && offer.audioIndex !== undefined) served.set(offer.audioIndex, parts.audio);
  const isAccepted = (index: number): boolean => served.has(index) || index === offer.carrierIndex;
  const mids = [...offer.media.entries()].flatMap(([index, line]) =>
    isAccepted(index) && line.mid !== undefined && offer.bundle.has(line.mid) ? [line.mid] : [],
  );
  const lines = ['v=0', `o=- ${parts.video.ssrc} 1 IN IP4 ${LOOPBACK}`, 's=-', 't=0 0', 'a=ice-lite'];
  if (mids.length > 0) lines.push(`a=group:BUNDLE ${mids.join(' ')}`);
  lines.push('a=msid-semantic: WMS *');
  for (const [index, line] of offer.media.entries()) {
    const media = served.get(index);
    if (media !== undefined) lines.push(...accepted(line, media, offer, parts));
    else lines.push(...without(line, isAccepted(index), offer, parts));
  }
  return `${lines.join('\r\n')}\r\n`;
}

const transportOf = ({ iceUfrag, icePassword, fingerprint }: AnswerParts): string[] => [
  `a=ice-ufrag:${iceUfrag}`,
  `a=ice-pwd:${icePassword}`,
  `a=fingerprint:sha-256 ${fingerprint}`,
  'a=setup:passive',
];

/** A line without media. @param isCarrier it has the transport of the video; all others are rejected */
function without(line: OfferedMedia, isCarrier: boolean, offer: Offer, parts: AnswerParts): string[] {
  const format = line.formats.find(({ rtpmap }) => rtpmap !== '');
  return [
    `m=${line.kind} ${isCarrier ? parts.port : 0} ${line.protocol} ${format?.payloadType ?? line.formatList[0]}`,
    'c=IN IP4 0.0.0.0',
    ...midOf(line),
    ...transportOf(parts),
    'a=inactive',
    ...(isCarrier ? candidatesOf(parts) : []),
    // aiortc connects this line too, and first: it would wait for candidates for ever.
    'a=end-of-candidates',
    ...(format === undefined ? [] : [...muxOf(offer), `a=rtpmap:${format.payloadType} ${format.rtpmap}`]),
  ];
}

function accepted(
  line: OfferedMedia,
  { format, talk, ssrc, delayId }: ServedMedia,
  offer: Offer,
  parts: AnswerParts,
): string[] {
  // The first one is what the viewer sends.
  const formats = [...new Set([talk ?? [], format ?? []].flat())];
  const types = formats.map(({ payloadType }) => payloadType).join(' ');
  return [
    `m=${line.kind} ${parts.port} ${line.protocol} ${types}`,
    `c=IN IP4 ${LOOPBACK}`,
    `a=rtcp:${parts.port} IN IP4 ${LOOPBACK}`,
    ...muxOf(offer),
    ...(offer.rtcpRsize ? ['a=rtcp-rsize'] : []),
    ...midOf(line),
    ...transportOf(parts),
    talk === undefined ? 'a=sendonly' : format === undefined ? 'a=recvonly' : 'a=sendrecv',
    ...formats.flatMap(describedFormat),
    ...(delayId === undefined ? [] : [`a=extmap:${delayId} ${PLAYOUT_DELAY}`]),
    ...(format === undefined
      ? []
      : [`a=msid:${parts.cname} ${line.kind}`, `a=ssrc:${ssrc} cname:${parts.cname}`]),
    ...candidatesOf(parts),
    'a=end-of-candidates',
  ];
}

function describedFormat({ payloadType, rtpmap, fmtp, feedback }: OfferedFormat): string[] {
  return [
    `a=rtpmap:${payloadType} ${rtpmap}`,
    ...(fmtp === undefined ? [] : [`a=fmtp:${payloadType} ${fmtp}`]),
    ...feedback
      .filter((kind) => ANSWERED_FEEDBACK.has(kind))
      .map((kind) => `a=rtcp-fb:${payloadType} ${kind}`),
  ];
}

/** Loopback before an own address (RFC 8445 section 5.1.2.1). */
const candidatesOf = ({ port, host }: AnswerParts): string[] => [
  `a=candidate:1 1 udp 2130706431 ${LOOPBACK} ${port} typ host`,
  ...(host === undefined ? [] : [`a=candidate:2 1 udp 2130706175 ${host.address} ${host.port} typ host`]),
];

const muxOf = ({ rtcpMux }: Offer): string[] => (rtcpMux ? ['a=rtcp-mux'] : []);
const midOf = (line: OfferedMedia): string[] => (line.mid === undefined ? [] : [`a=mid:${line.mid}`]);
