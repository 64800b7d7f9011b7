import { FaceplateError } from '../contract/errors.ts';
import type { MediaDriver } from '../media/driver.ts';
import { createCertificate } from '../media/webrtc/dtls.ts';
import { LoopbackSocket } from '../media/webrtc/loopbackSocket.ts';
import { warmUp } from '../media/webrtc/warmUp.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import type { Logger } from '../observe/log.ts';
import type { CallMedia, IntercomPage, MediaFactory, MediaOptions } from '../services/sip/driver.ts';
import { CallSession } from './callSession.ts';
import type { PageShared } from './page/pageLink.ts';
import { PageBroadcast } from './pageBroadcast.ts';

export interface CallMediaFactoryOptions {
  readonly page: IntercomPage;
  readonly log: Logger;
  readonly clock?: Clock;
  /** The system's help with many packets; without it Node's own way. */
  readonly driver?: MediaDriver;
}

/** Media of calls: RTP towards far ends, one peer connection per call with the intercom page, nothing transcoded. */
export class CallMediaFactory implements MediaFactory {
  readonly #options: CallMediaFactoryOptions;
  readonly #clock: Clock;
  readonly #sessions = new Set<CallSession>();
  readonly #broadcasts = new Set<PageBroadcast>();
  #shared: PageShared | undefined;
  #warming: Promise<number> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: CallMediaFactoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Opens the socket towards the pages and makes the certificate. */
  async start(): Promise<void> {
    if (this.#shared !== undefined) return;
    const { page, log } = this.#options;
    const socket = new LoopbackSocket(this.#options.driver);
    const [certificate] = await Promise.all([createCertificate(), socket.start()]);
    this.#shared = { page, log, socket, certificate };
    this.#warming = warmUp(certificate, this.#stopping.signal);
  }

  /** Ends all media. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    const shared = this.#shared;
    this.#shared = undefined;
    this.#stopping.abort();
    await Promise.all([...this.#sessions, ...this.#broadcasts].map((part) => part.stop()));
    await Promise.all([shared?.socket.stop(), this.#warming]);
  }

  /** Calls and pages that hold ports or connections, for leak checks. */
  get size(): number {
    return this.#sessions.size + this.#broadcasts.size + (this.#shared?.socket.size ?? 0);
  }

  /** The intercom page is there again, empty: every connection with it is made anew, calls go on meanwhile. */
  resetPage(): void {
    for (const part of [...this.#sessions, ...this.#broadcasts]) part.resetPage();
  }

  /** @throws FaceplateError HARDWARE_ERROR without a way to the far end, SHUTTING_DOWN. */
  async open(media: MediaOptions): Promise<CallMedia> {
    return this.#keep(
      await CallSession.open({
        media,
        shared: this.#running(),
        clock: this.#clock,
        hasPage: true,
        onStopped: (session) => this.#sessions.delete(session),
      }),
    );
  }

  async openPage(): Promise<PageBroadcast> {
    const broadcast: PageBroadcast = new PageBroadcast({
      shared: this.#running(),
      clock: this.#clock,
      onStopped: () => this.#broadcasts.delete(broadcast),
    });
    this.#broadcasts.add(broadcast);
    broadcast.start();
    return broadcast;
  }

  #running(): PageShared {
    if (this.#shared === undefined) throw new FaceplateError('SHUTTING_DOWN');
    return this.#shared;
  }

  async #keep(session: CallSession): Promise<CallSession> {
    // It was stopped while the ports were bound.
    if (this.#shared === undefined) {
      await session.stop();
      throw new FaceplateError('SHUTTING_DOWN');
    }
    this.#sessions.add(session);
    return session;
  }
}
