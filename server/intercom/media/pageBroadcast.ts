import type { Clock } from '../../platform/clock.ts';
import type { CallMedia, MediaOptions } from '../ports.ts';
import { PAGING_CODEC } from './codecs.ts';
import { MediaSession } from './mediaSession.ts';
import { PageLink, type PageShared } from './page/pageLink.ts';

interface PageBroadcastOptions {
  readonly shared: PageShared;
  readonly clock: Clock;
  readonly onStopped: () => void;
}

/**
 * One microphone stream of the intercom page, copied to the calls of an announcement, each with its own SSRC and
 * numbers.
 */
export class PageBroadcast {
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
