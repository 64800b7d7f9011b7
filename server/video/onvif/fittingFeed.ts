import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import type { CameraFeed, FeedSink } from '../cameraFeed.ts';
import type { CameraUrl } from '../rtsp/cameraUrl.ts';
import type { ViewerSize } from './choice.ts';
import type { ChosenStream, SessionProfile } from './service.ts';

/** How long another profile must be the better one before it is taken, in milliseconds. */
const DIFFERS_MS = 2_000;
/** Pause before a switch that failed is tried again, in milliseconds. */
const AGAIN_MS = 10_000;

interface FittingFeedOptions {
  readonly url: CameraUrl;
  /** The first size of the viewer. */
  readonly size: ViewerSize | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Uses a camera, until `release`. */
  acquire(url: CameraUrl): CameraFeed;
  release(feed: CameraFeed): void;
  /** The stream of an ONVIF camera that fits a size. */
  choose(url: CameraUrl, size: ViewerSize | undefined, signal: AbortSignal): Promise<ChosenStream>;
  /** What an ONVIF camera said of its streams is wrong. */
  forget(url: CameraUrl): void;
  /** The viewer goes on with another feed, from this key frame on. */
  onSwitch(feed: CameraFeed, keyFrame: VideoPacket): void;
}

/**
 * What one session watches: a camera, or of an ONVIF camera the profile that fits the viewer. It changes to another one at a
 * key frame of that, once it has fitted better for two seconds; until then the one before goes on.
 */
export class FittingFeed {
  readonly #options: FittingFeedOptions;
  readonly #ended = new AbortController();
  #feed: CameraFeed | undefined;
  #profile: SessionProfile | null = null;
  #size: ViewerSize | undefined;
  /** The profile that a timer or a connection waits for. */
  #wanted: string | undefined;
  #cancel = (): void => {};

  /** Takes a camera at once, so that a shared one stays connected while another session ends. */
  constructor(options: FittingFeedOptions) {
    this.#options = options;
    this.#size = options.size;
    if (options.url.kind !== 'onvif') this.#feed = options.acquire(options.url);
  }

  /** The present one; undefined until an ONVIF camera has named its streams. */
  get feed(): CameraFeed | undefined {
    return this.#feed;
  }

  /** The profile of the present one; null for a camera without profiles. */
  get profile(): SessionProfile | null {
    return this.#profile;
  }

  /** Resolves once it plays. @throws FaceplateError of the camera; the reason of `signal` */
  async ready(signal: AbortSignal): Promise<void> {
    const { url, acquire, choose, forget } = this.#options;
    if (url.kind === 'onvif') {
      const { url: stream, profile } = await choose(url, this.#size, signal);
      // The session may have ended meanwhile.
      this.#ended.signal.throwIfAborted();
      this.#feed = acquire(stream);
      this.#profile = profile;
    }
    try {
      await this.#feed!.ready;
    } catch (error) {
      if (url.kind === 'onvif') forget(url);
      throw error;
    }
  }

  /**
   * The viewer has another size.
   * @returns the profile that fits it; null for a camera without profiles
   * @throws FaceplateError of the camera
   */
  async resize(size: ViewerSize, signal: AbortSignal): Promise<SessionProfile | null> {
    const { url, choose } = this.#options;
    this.#size = size;
    if (url.kind !== 'onvif') return null;
    const chosen = await choose(url, size, signal);
    // Another size came meanwhile, or the first stream is still being chosen.
    if (this.#size === size && this.#profile !== null) this.#want(chosen, DIFFERS_MS);
    return chosen.profile;
  }

  /** Frees all of it. */
  stop(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new FaceplateError('CONFLICT'));
    this.#cancel();
    if (this.#feed !== undefined) this.#options.release(this.#feed);
  }

  #want(chosen: ChosenStream, afterMs: number): void {
    const { token } = chosen.profile;
    if (this.#ended.signal.aborted || token === this.#wanted) return;
    this.#cancel();
    this.#cancel = () => {};
    this.#wanted = undefined;
    if (token === this.#profile?.token) return;
    this.#wanted = token;
    const later = new AbortController();
    const cancelTimer = this.#options.clock.after(afterMs, () => void this.#change(chosen, later.signal));
    this.#cancel = () => {
      cancelTimer();
      later.abort(new FaceplateError('CONFLICT'));
    };
  }

  /** Connects the other stream, and changes to it at its next key frame. */
  async #change(chosen: ChosenStream, signal: AbortSignal): Promise<void> {
    const { acquire, release, onSwitch, log, url } = this.#options;
    const next = acquire(chosen.url);
    try {
      await unlessAborted(next.ready, signal);
      await nextKeyFrame(next, signal, (packet) => {
        // In the turn in which it came: the packets behind it go to the viewer itself.
        const before = this.#feed!;
        this.#feed = next;
        this.#profile = chosen.profile;
        this.#wanted = undefined;
        onSwitch(next, packet);
        release(before);
      });
      log.info({ camera: url.host, ...chosen.profile }, 'video: a viewer got a profile that fits');
    } catch (error) {
      release(next);
      if (signal.aborted) return;
      log.warn({ camera: url.host, err: error }, 'video: could not change to a profile that fits');
      this.#options.forget(url);
      this.#wanted = undefined;
      this.#want(chosen, AGAIN_MS);
    }
  }
}

/** Runs `act` with the next key frame of a feed. @throws the reason of `signal` */
function nextKeyFrame(
  feed: CameraFeed,
  signal: AbortSignal,
  act: (packet: VideoPacket) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sink: FeedSink = {
    onVideo: (packet) => {
      if (!packet.startsKeyFrame || signal.aborted) return;
      feed.detach(sink);
      act(packet);
      resolve();
    },
    onAudio: () => {},
    onRestart: () => {},
  };
  feed.attach(sink);
  return unlessAborted(promise, signal).finally(() => feed.detach(sink));
}
