import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { MediaDriver } from '../../webrtc/driver.ts';
import { createCertificate, warmUp } from '../../webrtc/dtls/dtls.ts';
import { LoopbackSocket } from '../../webrtc/ice/loopbackSocket.ts';
import type { CallMedia, IntercomPage, MediaFactory, MediaOptions } from '../ports.ts';
import { AUDIO_CODECS, PAGING_CODEC } from './codecs.ts';
import { MediaSession } from './mediaSession.ts';
import { PageLink, type PageShared } from './page/pageLink.ts';
import { mediaAddress } from './rtp/rtpLine.ts';
import { parseDescription } from './sdp/description.ts';
import { agree } from './sdp/terms.ts';

interface CallMediaFactoryOptions {
  readonly page: IntercomPage;
  readonly log: Logger;
  readonly clock?: Clock;
  /** The system calls that send many packets at once; without them Node's own sockets. */
  readonly driver?: MediaDriver;
}

/** Media of calls: RTP towards remote parties, one peer connection with the intercom page per call, no transcoding. */
export class CallMediaFactory implements MediaFactory {
  readonly #options: CallMediaFactoryOptions;
  readonly #clock: Clock;
  readonly #sessions = new Set<MediaSession>();
  readonly #broadcasts = new Set<PageBroadcast>();
  #shared: PageShared | undefined;
  #warming: Promise<number> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: CallMediaFactoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Opens the socket towards the built-in page and creates the certificate. */
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

  /** Calls and announcements with open ports or connections, for leak checks. */
  get size(): number {
    return this.#sessions.size + this.#broadcasts.size + (this.#shared?.socket.size ?? 0);
  }

  /** The intercom page is back, without state: every connection with it is made again while the calls go on. */
  resetPage(): void {
    for (const part of [...this.#sessions, ...this.#broadcasts]) part.resetPage();
  }

  /** @throws FaceplateError HARDWARE_ERROR without a route to the remote party, SHUTTING_DOWN. */
  async open(media: MediaOptions): Promise<CallMedia> {
    return this.#keep(
      await MediaSession.open({
        media,
        shared: this.#running(),
        clock: this.#clock,
        hasPage: true,
        onStopped: (session) => this.#sessions.delete(session),
      }),
    );
  }

  judge(
    offer: string,
    { secure, takesKeys = false, from }: Parameters<MediaFactory['judge']>[1],
  ): { hasVideo: boolean } {
    const wishes = { video: true, direction: 'sendrecv', codecs: AUDIO_CODECS } as const;
    const { audio, video } = agree(
      parseDescription(offer),
      { ...wishes, secure: secure || takesKeys },
      secure,
    );
    for (const line of [audio, video]) if (line?.rtp !== undefined) mediaAddress(line.rtp.address, from);
    return { hasVideo: video?.receives ?? false };
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

  async #keep(session: MediaSession): Promise<MediaSession> {
    // The factory was stopped while the ports were bound.
    if (this.#shared === undefined) {
      await session.stop();
      throw new FaceplateError('SHUTTING_DOWN');
    }
    this.#sessions.add(session);
    return session;
  }
}

interface PageBroadcastOptions {
  readonly shared: PageShared;
  readonly clock: Clock;
  readonly onStopped: () => void;
}

/**
 * One microphone stream of the intercom page, copied to the calls of an announcement, each with its own SSRC and
 * numbers.
 */
class PageBroadcast {
  readonly #options: PageBroadcastOptions;
  readonly #link: PageLink;
  readonly #sessions = new Set<MediaSession>();
  #isStopped = false;

  constructor(options: PageBroadcastOptions) {
    this.#options = options;
    this.#link = new PageLink(options.shared, {
      onReady: () => {
        for (const session of this.#sessions) session.restartAudio();
      },
      onAudio: (packet) => {
        for (const session of this.#sessions) session.pushAudio(packet);
      },
      onVideo: () => {},
      onKeyFrameWanted: () => {},
    });
  }

  /** Takes the microphone. */
  start(): void {
    const { payloadType, rtpmap } = PAGING_CODEC;
    this.#link.want({
      audio: { payloadType, rtpmap, fmtp: undefined, ptime: undefined, direction: 'recvonly' },
      video: undefined,
      bitrate: 0,
      microphone: true,
      camera: false,
    });
  }

  /** Opens one of the calls; it only sends, regardless of `media`. @throws FaceplateError HARDWARE_ERROR. */
  async open(media: MediaOptions): Promise<CallMedia> {
    const { shared, clock } = this.#options;
    const session = await MediaSession.open({
      media: { ...media, direction: 'sendonly', video: false },
      shared,
      clock,
      hasPage: false,
      codecs: [PAGING_CODEC],
      onStopped: (stopped) => this.#sessions.delete(stopped),
    });
    if (this.#isStopped) await session.stop();
    else this.#sessions.add(session);
    return session;
  }

  resetPage(): void {
    this.#link.reset();
  }

  /** Ends all its calls' media and gives the microphone back. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#link.close(), ...[...this.#sessions].map((session) => session.stop())]);
    this.#options.onStopped();
  }
}
