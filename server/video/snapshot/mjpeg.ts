import { FaceplateError } from '../../contract/errors.ts';
import { pause, unlessAborted } from '../../platform/async.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { CameraFeed, FeedSink } from '../cameraFeed.ts';
import type { CameraUrl } from '../rtsp/cameraUrl.ts';
import { closedByCamera } from '../rtsp/failure.ts';
import { jpegPicture, type Picture } from './picture.ts';
import type { Pictures } from './pictures.ts';

/** A camera with single pictures is asked so often, in milliseconds. */
const ASK_MS = 1_000;
/** Between the parts; no JPEG of a camera has it, and the lengths say where a part ends. */
const BOUNDARY = 'faceplate-next-picture';

/** The media type of the answer. */
export const MJPEG_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

interface MjpegOptions {
  readonly pictures: Pictures;
  readonly camera: CameraUrl;
  readonly fps: number;
  readonly width: number | undefined;
  readonly clock: WallClock;
  readonly onEnd: () => void;
}

/** New pictures of a camera. */
interface Newer {
  /** The next one that is not `last`. @throws FaceplateError the camera has no more; the reason of `signal` */
  next(last: Picture | undefined, signal: AbortSignal): Promise<Picture>;
  stop(): void;
}

/**
 * One reader of `stream.mjpeg`. A picture is taken and decoded only once the reader has room for it, so one that is slow gets
 * fewer pictures, and nothing waits for it.
 */
export class MjpegReader implements AsyncIterableIterator<Uint8Array> {
  readonly #options: MjpegOptions;
  readonly #ended = new AbortController();
  #newer: Newer | undefined;
  #last: Picture | undefined;
  #first: Uint8Array | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #hasBegun = false;

  constructor(options: MjpegOptions) {
    this.#options = options;
  }

  /** Waits for the first picture. @throws FaceplateError as `stream.snapshot`; the reason of `signal` */
  async begin(signal: AbortSignal): Promise<void> {
    const { pictures, camera, width, clock } = this.#options;
    const until = AbortSignal.any([signal, this.#ended.signal]);
    const { kind, url } = await pictures.sourceFor(camera, width, until);
    this.#newer =
      kind === 'web'
        ? new WebPictures(pictures, url, clock)
        : new StreamPictures(pictures, await pictures.open(url, until));
    // It may have ended meanwhile, and what was opened would stay.
    if (this.#ended.signal.aborted) this.#newer.stop();
    this.#last = await this.#newer.next(undefined, until);
    this.#first = await pictures.asJpeg(this.#last, width, until);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const jpeg = await this.#nextJpeg();
    if (jpeg === undefined) {
      this.end();
      return { done: true, value: undefined };
    }
    this.#sentAt = this.#options.clock.now();
    // A browser shows a part once the delimiter behind it has come.
    const start = this.#hasBegun ? '' : `--${BOUNDARY}\r\n`;
    this.#hasBegun = true;
    const head = `${start}Content-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    return {
      done: false,
      value: Buffer.concat([Buffer.from(head), jpeg, Buffer.from(`\r\n--${BOUNDARY}\r\n`)]),
    };
  }

  /** The reader is gone. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  /** Frees all of it; safe to call twice. */
  end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new FaceplateError('SHUTTING_DOWN'));
    this.#newer?.stop();
    this.#options.onEnd();
  }

  /** Undefined: there are no more. */
  async #nextJpeg(): Promise<Uint8Array | undefined> {
    const { pictures, fps, width, clock } = this.#options;
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    const { signal } = this.#ended;
    await pause(this.#sentAt + 1_000 / fps - clock.now(), clock, signal);
    while (!signal.aborted) {
      try {
        this.#last = await this.#newer!.next(this.#last, signal);
      } catch {
        return undefined;
      }
      try {
        return await pictures.asJpeg(this.#last, width, signal);
      } catch {
        // One that cannot be decoded is left out: the next may be whole.
      }
    }
    return undefined;
  }
}

/** The key frames of a stream. */
class StreamPictures implements Newer {
  readonly #pictures: Pictures;
  readonly #feed: CameraFeed;
  readonly #sink: FeedSink;
  #wake = (): void => {};
  #isStopped = false;

  constructor(pictures: Pictures, feed: CameraFeed) {
    this.#pictures = pictures;
    this.#feed = feed;
    this.#sink = {
      onVideo: ({ marker }) => {
        if (marker) this.#wake();
      },
      onAudio: () => {},
      onRestart: () => {},
    };
    feed.attach(this.#sink);
  }

  async next(last: Picture | undefined, signal: AbortSignal): Promise<Picture> {
    if (last === undefined) return this.#pictures.keyFrame(this.#feed, signal);
    for (;;) {
      const picture = this.#pictures.ofFeed(this.#feed);
      if (picture !== undefined && picture !== last) return picture;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await unlessAborted(promise, signal);
    }
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#feed.detach(this.#sink);
    this.#pictures.release(this.#feed);
  }
}

/** The parts of a camera that sends one after the other; one with single pictures is asked again and again. */
class WebPictures implements Newer {
  readonly #pictures: Pictures;
  readonly #url: CameraUrl;
  readonly #clock: WallClock;
  readonly #ended = new AbortController();
  #latest: Picture | undefined;
  #failure: unknown;
  #isSingle = false;
  #askedAt = 0;
  #wake = (): void => {};

  constructor(pictures: Pictures, url: CameraUrl, clock: WallClock) {
    this.#pictures = pictures;
    this.#url = url;
    this.#clock = clock;
    this.#askedAt = clock.now();
    void this.#follow();
  }

  async next(last: Picture | undefined, signal: AbortSignal): Promise<Picture> {
    for (;;) {
      if (this.#latest !== undefined && this.#latest !== last) return this.#latest;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isSingle) await this.#ask(signal);
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await unlessAborted(promise, signal);
      }
    }
  }

  stop(): void {
    this.#ended.abort(closedByCamera());
  }

  async #ask(signal: AbortSignal): Promise<void> {
    await pause(this.#askedAt + ASK_MS - this.#clock.now(), this.#clock, signal);
    this.#askedAt = this.#clock.now();
    this.#latest = await this.#pictures.fromWeb(this.#url, signal);
  }

  async #follow(): Promise<void> {
    const take = (jpeg: Buffer): void => {
      this.#latest = jpegPicture(jpeg, this.#clock.wall());
      this.#wake();
    };
    try {
      const single = await this.#pictures.web.follow(this.#url, this.#ended.signal, (jpeg) => {
        take(jpeg);
        return true;
      });
      if (single === undefined) throw closedByCamera();
      this.#isSingle = true;
      take(single);
    } catch (error) {
      this.#failure = error;
      this.#wake();
    }
  }
}
