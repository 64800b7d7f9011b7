import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../platform/log.ts';
import type { DtlsCertificate } from '../../../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../../../webrtc/ice/loopbackSocket.ts';
import type { IntercomPage } from '../../ports.ts';
import { type PageFormat, PagePeer, type PagePeerEvents } from './pagePeer.ts';

/** Shared by all connections with the intercom page. */
export interface PageShared {
  readonly page: IntercomPage;
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly log: Logger;
}

/** What the page should send and receive. */
export interface PageMediaOffer {
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
