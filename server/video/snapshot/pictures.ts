import { FaceplateError } from '../../contract/errors.ts';
import type { CodedPicture } from '../../kiosk/glass/contract.ts';
import { unlessAborted } from '../../platform/async.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { CameraFeed, FeedSink } from '../cameraFeed.ts';
import { type CameraHub, keyOf } from '../hub.ts';
import { choose } from '../onvif/choice.ts';
import type { ChosenStream, OnvifCameras } from '../onvif/service.ts';
import { type CameraAccess, type CameraUrl, pictureUrl } from '../rtsp/cameraUrl.ts';
import { noAnswer } from '../rtsp/failure.ts';
import { type Decode, jpegPicture, keyFrameOf, keyFramePicture, type Picture } from './picture.ts';
import { Places, SharedWork } from './shared.ts';
import { WebCameras } from './webCamera.ts';

/** One dial a second for an address: callers within it share the picture. */
const SHARED_MS = 1_000;
/** Decodes, and cameras that are dialled, at one time. */
const MAX_DECODES = 4;
const MAX_DIALS = 8;
/** How long a connected camera may take to send a key frame, in milliseconds. */
const KEY_FRAME_MS = 10_000;
/** How long what was learned of a camera's own pictures counts, in milliseconds, and for how many cameras. */
const LEARNED_MS = 600_000;
const MAX_LEARNED = 64;

interface PicturesOptions {
  readonly onvif: OnvifCameras;
  readonly access: CameraAccess;
  readonly hub: CameraHub;
  decode(picture: CodedPicture, signal: AbortSignal): Promise<Uint8Array>;
  readonly clock: WallClock;
}

/** Where a camera has pictures of its own, beside its streams. */
interface OwnPictures {
  /** Undefined: it has none, or they do not come. */
  url: CameraUrl | undefined;
  /** Pixels across; undefined before the first. */
  width: number | undefined;
  readonly until: number;
}

/** Where pictures of a camera come from. */
type PictureSource =
  | { readonly kind: 'web'; readonly url: CameraUrl }
  | { readonly kind: 'stream'; readonly url: CameraUrl };

/** Pictures of cameras. Methods throw the FaceplateErrors of `stream.snapshot`, and the reason of `signal`. */
export class Pictures {
  readonly #options: PicturesOptions;
  readonly web: WebCameras;
  readonly #taken: SharedWork<Picture>;
  readonly #decodes: Places;
  readonly #dials: Places;
  readonly #stopping = new AbortController();
  readonly #own = new Map<string, OwnPictures>();
  /** The picture of the last key frame of each feed: its JPEGs are made once. */
  readonly #ofFeeds = new WeakMap<CameraFeed, { readonly at: number; readonly picture: Picture }>();

  constructor(options: PicturesOptions) {
    this.#options = options;
    const { access, clock } = options;
    this.web = new WebCameras(access, clock);
    this.#taken = new SharedWork(clock, SHARED_MS);
    this.#decodes = new Places(clock, MAX_DECODES, 'Too many pictures are being decoded already; try again.');
    this.#dials = new Places(clock, MAX_DIALS, 'Too many cameras are asked for pictures already; try again.');
  }

  stop(): void {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    this.#taken.stop();
  }

  /** A picture that is at least so wide, where the camera has one. */
  async take(camera: CameraUrl, width: number | undefined, signal: AbortSignal): Promise<Picture> {
    const { kind, url } = await this.sourceFor(camera, width, signal);
    if (kind === 'stream') return this.#fromStream(url, signal);
    try {
      return await this.fromWeb(url, signal);
    } catch (error) {
      const own = this.#own.get(keyOf(camera));
      if (own === undefined || !isOfCamera(error)) throw error;
      // Pictures of its own that come no more: there are its streams.
      own.url = undefined;
      return this.#fromStream(await this.#streamFor(camera, width, signal), signal);
    }
  }

  /** The picture as a JPEG, at most so wide. */
  asJpeg(picture: Picture, width: number | undefined, signal: AbortSignal): Promise<Uint8Array> {
    // Others may wait for it too: it goes on when this caller leaves.
    const { signal: until } = this.#stopping;
    const decode: Decode = (coded) => this.#decodes.run(until, () => this.#options.decode(coded, until));
    return unlessAborted(picture.asJpeg(width, decode), signal);
  }

  /** Where a picture of this width comes from. */
  async sourceFor(camera: CameraUrl, width: number | undefined, signal: AbortSignal): Promise<PictureSource> {
    if (camera.kind === 'http') return { kind: 'web', url: camera };
    if (camera.kind === 'rtsp') return { kind: 'stream', url: camera };
    const { onvif } = this.#options;
    const { profiles } = await onvif.deviceOf(camera, signal);
    const widest = Math.max(0, ...profiles.filter(({ codec }) => codec === 'H264').map((one) => one.width));
    const own = await this.#ownOf(camera, signal);
    const reaches = () => width === undefined || (own.width ?? 0) >= Math.min(width, widest);
    if (own.url !== undefined && own.width === undefined) await this.#learn(own, own.url, signal);
    // A camera whose streams cannot be decoded here may have pictures all the same.
    if (own.url !== undefined && (widest === 0 || reaches())) return { kind: 'web', url: own.url };
    return { kind: 'stream', url: await this.#streamFor(camera, width, signal) };
  }

  /** The picture at an address of the web. */
  fromWeb(url: CameraUrl, signal: AbortSignal): Promise<Picture> {
    return this.#taken.run(keyOf(url), signal, (until) =>
      this.#dials.run(until, async () =>
        jpegPicture(await this.web.picture(url, until), this.#options.clock.wall()),
      ),
    );
  }

  /** The picture of the last key frame of a feed; undefined while that is not complete. */
  ofFeed(feed: CameraFeed): Picture | undefined {
    const known = this.#ofFeeds.get(feed);
    const at = feed.keyFrameAt;
    const packets = keyFrameOf(feed.recent);
    if (packets === undefined) return undefined;
    if (known?.at === at) return known.picture;
    const { clock } = this.#options;
    const picture = keyFramePicture(packets, clock.wall() - (clock.now() - at));
    this.#ofFeeds.set(feed, { at, picture });
    return picture;
  }

  /** Uses a stream until `release`, once it plays. */
  async open(url: CameraUrl, signal: AbortSignal): Promise<CameraFeed> {
    const { hub } = this.#options;
    const feed = hub.acquire(url);
    try {
      await unlessAborted(feed.ready, signal);
      return feed;
    } catch (error) {
      hub.release(feed);
      throw error;
    }
  }

  release(feed: CameraFeed): void {
    this.#options.hub.release(feed);
  }

  /** The picture of the last key frame, or of the first one that comes. @throws FaceplateError CAMERA_TIMEOUT */
  async keyFrame(feed: CameraFeed, signal: AbortSignal): Promise<Picture> {
    const known = this.ofFeed(feed);
    if (known !== undefined) return known;
    const { promise, resolve, reject } = Promise.withResolvers<Picture>();
    const sink: FeedSink = {
      onVideo: ({ marker }) => {
        if (!marker) return;
        try {
          const picture = this.ofFeed(feed);
          if (picture !== undefined) resolve(picture);
        } catch (error) {
          reject(error);
        }
      },
      onAudio: () => {},
      onRestart: () => {},
    };
    const cancel = this.#options.clock.after(KEY_FRAME_MS, () => reject(noAnswer('a key frame')));
    feed.attach(sink);
    try {
      return await unlessAborted(promise, signal);
    } finally {
      cancel();
      feed.detach(sink);
    }
  }

  #fromStream(url: CameraUrl, signal: AbortSignal): Promise<Picture> {
    const take = async (until: AbortSignal): Promise<Picture> => {
      const feed = await this.open(url, until);
      try {
        return await this.keyFrame(feed, until);
      } finally {
        this.release(feed);
      }
    };
    return this.#taken.run(keyOf(url), signal, (until) =>
      // Where somebody watches nothing is dialled.
      this.#options.hub.plays(url) ? take(until) : this.#dials.run(until, () => take(until)),
    );
  }

  /** The stream of an ONVIF camera: one that somebody watches already, or the smallest that is wide enough. */
  async #streamFor(camera: CameraUrl, width: number | undefined, signal: AbortSignal): Promise<CameraUrl> {
    const { onvif, hub } = this.#options;
    const isEnough = ({ url, profile }: ChosenStream) => hub.plays(url) && profile.width >= (width ?? 0);
    const watched = (await onvif.knownStreams(camera, signal)).filter(isEnough);
    const [nearest] = watched.toSorted((a, b) => a.profile.width - b.profile.width);
    if (nearest !== undefined && width !== undefined) return nearest.url;
    return (await onvif.streamWide(camera, width, signal)).url;
  }

  /** Learns the size of a camera's own pictures by the first. One that fails is not asked for again for some time. */
  async #learn(own: OwnPictures, url: CameraUrl, signal: AbortSignal): Promise<void> {
    try {
      own.width = (await this.fromWeb(url, signal)).size.width;
    } catch (error) {
      if (!isOfCamera(error)) throw error;
      own.url = undefined;
    }
  }

  async #ownOf(camera: CameraUrl, signal: AbortSignal): Promise<OwnPictures> {
    const key = keyOf(camera);
    const { onvif, clock } = this.#options;
    const known = this.#own.get(key);
    if (known !== undefined && clock.now() < known.until) return known;
    const device = await onvif.deviceOf(camera, signal);
    const profile = choose(device.profiles) ?? device.profiles[0];
    const address = profile && (await device.snapshotUrl(profile.token, signal));
    const url = address === undefined ? undefined : pictureUrl(address, camera);
    const own: OwnPictures = { url, width: undefined, until: clock.now() + LEARNED_MS };
    this.#own.delete(key);
    this.#own.set(key, own);
    if (this.#own.size > MAX_LEARNED) this.#own.delete(this.#own.keys().next().value!);
    return own;
  }
}

/** Whether the camera is why, and not the caller or the panel. */
function isOfCamera(error: unknown): boolean {
  return error instanceof FaceplateError && /^(?:CAMERA_|TOO_LARGE)/.test(error.code);
}
