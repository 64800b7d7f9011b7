import { randomBytes } from 'node:crypto';
import type { DtlsCertificate } from '../../media/webrtc/dtls.ts';
import type { LoopbackSocket } from '../../media/webrtc/loopbackSocket.ts';
import type { Logger } from '../../observe/log.ts';
import type { IntercomPage } from '../../services/sip/driver.ts';
import { type PageFormat, PagePeer, type PagePeerEvents } from './pagePeer.ts';

/** What all connections with the intercom page share. */
export interface PageShared {
  readonly page: IntercomPage;
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly log: Logger;
}

/** What the page is to send and to take. */
export interface PageWish {
  readonly audio: PageFormat;
  readonly video: PageFormat | undefined;
  /** Bit/s of picture that the page may send. */
  readonly bitrate: number;
  readonly microphone: boolean;
  readonly camera: boolean;
}

/**
 * A call's connection with the intercom page. It follows what the call wants and survives the page: a page that is
 * missing, or crashes, leaves the call without sound of its own until it is back.
 */
export class PageLink {
  readonly #shared: PageShared;
  readonly #events: PagePeerEvents;
  #wish: PageWish | undefined;
  #peer: PagePeer | undefined;
  #connection = '';
  #isClosed = false;
  /** The page gets one word after the other. */
  #queue: Promise<void> = Promise.resolve();

  constructor(shared: PageShared, events: PagePeerEvents) {
    this.#shared = shared;
    this.#events = events;
  }

  /** The connection, undefined before the first wish. */
  get peer(): PagePeer | undefined {
    return this.#peer;
  }

  /** Makes, keeps or changes the connection; does not wait for the page. */
  want(wish: PageWish): void {
    const before = this.#wish;
    this.#wish = wish;
    if (this.#isClosed) return;
    if (before === undefined || formatsOf(before) !== formatsOf(wish)) this.#begin(wish);
    else if (before.microphone !== wish.microphone || before.camera !== wish.camera) this.#offer();
  }

  /** The page is there again, empty. */
  reset(): void {
    if (this.#wish !== undefined && !this.#isClosed) this.#begin(this.#wish);
  }

  /** Resolves when the page was told. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#queue;
  }

  #begin({ audio, video, bitrate }: PageWish): void {
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
      // It was replaced while the page was busy.
      if (peer === undefined || wish === undefined || peer !== this.#peer) return;
      const { microphone, camera } = wish;
      const answer = await this.#shared.page.connect({ connection, sdp: peer.offer(), microphone, camera });
      peer.accept(answer);
    });
  }

  #tell(action: () => Promise<void>): void {
    this.#queue = this.#queue.then(action).catch((error: unknown) => {
      this.#shared.log.warn({ err: error }, 'the intercom page did not take a call');
    });
  }
}

const formatsOf = ({ audio, video, bitrate }: PageWish): string => JSON.stringify([audio, video, bitrate]);
