import { FaceplateError } from '../contract/errors.ts';
import { shownCameraAddress } from '../platform/hidden.ts';
import type { DtlsCertificate } from '../webrtc/dtls/dtls.ts';
import type { LoopbackSocket } from '../webrtc/ice/loopbackSocket.ts';
import type { Offer } from '../webrtc/offer.ts';
import type { CameraFeed } from './cameraFeed.ts';
import type { StreamSession as SessionState } from './contract.ts';
import type { CameraHub } from './hub.ts';
import type { MediaLimits } from './limits.ts';
import type { CameraUrl } from './rtsp/cameraUrl.ts';
import type { Viewer } from './viewer.ts';

/** Averaging time of the bitrate, in milliseconds. */
const BITRATE_WINDOW_MS = 3_000;

/** What every viewer needs, and only they. */
export interface Viewing {
  readonly certificate: DtlsCertificate;
  makeViewer(options: ConstructorParameters<typeof Viewer>[0]): Viewer;
}

/** The parts that all sessions share. */
export interface SharedMedia {
  readonly hub: CameraHub;
  readonly socket: LoopbackSocket;
  /** Loads it with the first viewer. */
  viewing(): Promise<Viewing>;
  readonly limits: MediaLimits;
}

interface SessionOptions {
  readonly id: string;
  readonly url: CameraUrl;
  readonly offer: Offer;
  readonly media: SharedMedia;
  /** Its state may have changed. */
  readonly onChange: () => void;
  /** It is over; called once. @param reason for the log. @param hasLeft the viewer ended it. */
  readonly onEnded: (reason: string, hasLeft: boolean) => void;
}

/** One stream session: from the POST, over the camera connection, to the viewer's end. */
export class Session {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #feed: CameraFeed;
  readonly #startedAt = new Date();
  readonly #openedAt = performance.now();
  readonly #ended = new AbortController();
  #viewer: Viewer | undefined;
  #firstFrameMs: number | null = null;
  #samples: { at: number; octets: number }[] = [];

  /** Takes the camera at once, so that a shared one stays connected while another session ends. */
  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#feed = options.media.hub.acquire(options.url);
  }

  /**
   * Waits for the camera and answers the offer; does not wait for media.
   * @throws FaceplateError of the camera, the reason given to `end`, or CAMERA_TIMEOUT when `signal` aborts.
   */
  async open(signal: AbortSignal): Promise<string> {
    const interrupted = Promise.withResolvers<never>();
    interrupted.promise.catch(() => {});
    const onEnded = (): void => interrupted.reject(this.#ended.signal.reason);
    const onAbort = (): void => {
      interrupted.reject(new FaceplateError('CAMERA_TIMEOUT', 'The call ended before the camera answered.'));
    };
    this.#ended.signal.addEventListener('abort', onEnded);
    signal.addEventListener('abort', onAbort);
    const { offer, media, onChange } = this.#options;
    let viewing: Viewing;
    try {
      if (signal.aborted) onAbort();
      const ready = Promise.all([media.viewing(), this.#feed.ready]);
      [viewing] = await Promise.race([interrupted.promise, ready]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#ended.signal.removeEventListener('abort', onEnded);
    }
    // The session may have ended in the same turn in which the camera became ready.
    this.#ended.signal.throwIfAborted();
    this.#viewer = viewing.makeViewer({
      feed: this.#feed,
      socket: media.socket,
      certificate: viewing.certificate,
      limits: media.limits,
      offer,
      onFirstFrame: () => {
        this.#firstFrameMs = Math.round(performance.now() - this.#openedAt);
        onChange();
      },
      onGone: (reason) => this.#end(reason, true),
    });
    return this.#viewer.open();
  }

  /** Frees everything, and says goodbye to the viewer. @param error the reason for an `open` that still waits. */
  end(reason: string, error?: FaceplateError): void {
    this.#viewer?.close(true);
    this.#end(reason, false, error);
  }

  /**
   * Frees everything for another session of the same id. Its viewer is not told: two pages that use one id would open it in
   * turn, as fast as they can.
   */
  giveWay(): void {
    this.#end('another viewer took its id over', false);
  }

  tick(now: number): void {
    this.#samples.push({ at: now, octets: this.#viewer?.sent.octets ?? 0 });
    while (now - this.#samples[0]!.at > BITRATE_WINDOW_MS) this.#samples.shift();
    this.#viewer?.tick(now);
    if (!this.#ended.signal.aborted) this.#options.onChange();
  }

  /** As `GET /api/stream/sessions` shows it. */
  state(): SessionState {
    const viewer = this.#viewer;
    const size = viewer === undefined ? undefined : this.#feed.size;
    return {
      id: this.id,
      url: shownCameraAddress(this.#options.url.key),
      state: this.#stateName(),
      codec: viewer === undefined ? '' : 'H264',
      audioCodec: viewer?.audioCodec ?? null,
      width: size?.width ?? null,
      height: size?.height ?? null,
      bitrate: this.#bitrate(),
      packets: viewer?.sent.packets ?? 0,
      lost: this.#feed.lost + (viewer?.lost ?? 0),
      startedAt: this.#startedAt.toISOString(),
      firstFrameMs: this.#firstFrameMs,
      viewers: this.#options.media.hub.users(this.#feed),
    };
  }

  #end(
    reason: string,
    hasLeft: boolean,
    error = new FaceplateError('CONFLICT', `The stream was ended: ${reason}.`),
  ): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(error);
    this.#viewer?.close();
    this.#options.media.hub.release(this.#feed);
    this.#options.onEnded(reason, hasLeft);
  }

  #stateName(): SessionState['state'] {
    if (this.#viewer === undefined) return 'connecting';
    if (this.#feed.isStalled()) return 'stalled';
    return this.#firstFrameMs === null ? 'connecting' : 'playing';
  }

  #bitrate(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return Math.round(((last.octets - first.octets) * 8 * 1000) / (last.at - first.at));
  }
}
