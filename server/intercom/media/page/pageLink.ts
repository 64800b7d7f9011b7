import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../platform/log.ts';
import type { DtlsCertificate } from '../../../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../../../webrtc/ice/loopbackSocket.ts';
import type { IntercomPage } from '../../ports.ts';
import { pageCodec } from '../codecs.ts';
import type { AudioTerms, Terms, VideoTerms } from '../sdp/terms.ts';
import { type PageFormat, PagePeer, type PagePeerEvents } from './pagePeer.ts';

/** Shared by all connections with the intercom page. */
export interface PageShared {
  readonly page: IntercomPage;
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly log: Logger;
}

/** What the page should send and receive. */
interface PageMediaOffer {
  readonly audio: PageFormat;
  readonly video: PageFormat | undefined;
  /** Bit/s of picture that the page may send. */
  readonly bitrate: number;
  readonly microphone: boolean;
  readonly camera: boolean;
}

/**
 * A call's connection with the intercom page. It follows the call's requests and survives the page: while the page is
 * missing or crashed, the call has no sound from this panel.
 */
export class PageLink {
  readonly #shared: PageShared;
  readonly #events: PagePeerEvents;
  #wish: PageMediaOffer | undefined;
  #peer: PagePeer | undefined;
  #connection = '';
  #isClosed = false;
  /** The page gets one message after the other. */
  #queue: Promise<void> = Promise.resolve();

  constructor(shared: PageShared, events: PagePeerEvents) {
    this.#shared = shared;
    this.#events = events;
  }

  /** The connection; undefined before the first request. */
  get peer(): PagePeer | undefined {
    return this.#peer;
  }

  /** Creates, keeps or changes the connection; does not wait for the page. */
  want(wish: PageMediaOffer): void {
    const before = this.#wish;
    this.#wish = wish;
    if (this.#isClosed) return;
    if (before === undefined || formatsOf(before) !== formatsOf(wish)) this.#begin(wish);
    else if (before.microphone !== wish.microphone || before.camera !== wish.camera) this.#offer();
  }

  /** The page is back, without state. */
  reset(): void {
    if (this.#wish !== undefined && !this.#isClosed) this.#begin(this.#wish);
  }

  /** Resolves when the page has the message. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#queue;
  }

  #begin({ audio, video, bitrate }: PageMediaOffer): void {
    this.#end();
    const { socket, certificate } = this.#shared;
    this.#connection = randomBytes(8).toString('hex');
    this.#peer = new PagePeer({ socket, certificate, audio, video, bitrate, events: this.#events });
    this.#offer();
  }

  #end(): void {
    const connection = this.#connection;
    this.#connection = '';
    this.#peer?.close();
    this.#peer = undefined;
    if (connection !== '') this.#tell(() => this.#shared.page.close(connection));
  }

  #offer(): void {
    const [peer, connection] = [this.#peer, this.#connection];
    this.#tell(async () => {
      const wish = this.#wish;
      // This connection was replaced while the page was busy.
      if (peer === undefined || wish === undefined || peer !== this.#peer) return;
      const { microphone, camera } = wish;
      const answer = await this.#shared.page.connect({ connection, sdp: peer.offer(), microphone, camera });
      peer.accept(answer);
    });
  }

  #tell(action: () => Promise<void>): void {
    this.#queue = this.#queue.then(action).catch((error: unknown) => {
      this.#shared.log.warn({ err: error }, 'intercom: the page did not accept a call');
    });
  }
}

const formatsOf = ({ audio, video, bitrate }: PageMediaOffer): string =>
  JSON.stringify([audio, video, bitrate]);

const VIDEO_PAYLOAD_TYPE = 102;
/** Most video in bit/s that the page sends, also if the remote party names no limit. */
const USUAL_BITRATE = 1_000_000;
const MAX_BITRATE = 2_000_000;
/** Packet lengths in milliseconds that browsers can produce. */
const PTIMES = [10, 20, 40, 60];
/** Parameters of Opus that the remote party may set (RFC 7587 section 6.1); all are whole numbers. */
const OPUS_PARAMETERS = [
  'maxplaybackrate',
  'maxaveragebitrate',
  'stereo',
  'cbr',
  'useinbandfec',
  'usedtx',
  'minptime',
];

/**
 * The offer to the page for a call: exactly the codecs that the remote party agreed on, or a replacement for one that
 * browsers do not have.
 * @param direction of the call, seen from the panel
 */
export function pageMediaOffer(
  { audio, video }: Terms,
  direction: 'sendrecv' | 'sendonly' | 'recvonly',
  isAnswered: boolean,
): PageMediaOffer {
  const towardsPage = { sendrecv: 'sendrecv', sendonly: 'recvonly', recvonly: 'sendonly' } as const;
  const bitrate = video?.bitrate ?? USUAL_BITRATE;
  return {
    audio: audioFormat(audio, towardsPage[direction]),
    video: video && videoFormat(video, towardsPage[direction]),
    bitrate: Math.min(bitrate, MAX_BITRATE),
    // Before the answer there is no one to hear or see it.
    microphone: isAnswered && direction !== 'recvonly',
    camera: isAnswered && video?.sends === true,
  };
}

function audioFormat(
  { codec, parameters, ptime }: AudioTerms,
  direction: PageFormat['direction'],
): PageFormat {
  const fmtp = OPUS_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name) ?? '';
    return /^\d{1,7}$/.test(value) ? [`${name}=${value}`] : [];
  });
  const { payloadType, rtpmap } = pageCodec(codec);
  return {
    payloadType,
    rtpmap,
    fmtp:
      codec.conversion === undefined && codec.clockRate === 48_000 && fmtp.length > 0
        ? fmtp.join(';')
        : undefined,
    ptime: ptime !== undefined && PTIMES.includes(ptime) ? ptime : undefined,
    direction,
  };
}

/** Always constrained baseline: every profile that the remote party may have named contains it. */
function videoFormat({ mode }: VideoTerms, direction: PageFormat['direction']): PageFormat {
  return {
    payloadType: VIDEO_PAYLOAD_TYPE,
    // Chromium does not encode with another spelling.
    rtpmap: 'H264/90000',
    fmtp: `level-asymmetry-allowed=1;packetization-mode=${mode};profile-level-id=42e01f`,
    ptime: undefined,
    direction,
  };
}
