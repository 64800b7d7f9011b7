import type { Media } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { CodedPicture } from '../../kiosk/glass/contract.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { CameraHub } from '../hub.ts';
import type { Cameras } from '../named/cameras.ts';
import type { OnvifCameras } from '../onvif/service.ts';
import type { CameraAccess } from '../rtsp/cameraUrl.ts';
import { MJPEG_TYPE, MjpegReader } from './mjpeg.ts';
import { etagOf } from './picture.ts';
import { Pictures } from './pictures.ts';
import { MAX_MJPEG } from './snapshotContract.ts';

interface SnapshotOptions {
  /** What viewers of the cameras use too; it must have started. */
  readonly cameras: Cameras;
  readonly onvif: OnvifCameras;
  readonly access: CameraAccess;
  readonly hub: CameraHub;
  /** Makes a JPEG of a picture. */
  decode(picture: CodedPicture, signal: AbortSignal): Promise<Uint8Array>;
  readonly clock: WallClock;
}

interface Call {
  readonly signal: AbortSignal;
}

/** Pictures of cameras for who has no player: one, or one after the other. */
export class SnapshotService {
  readonly #options: SnapshotOptions;
  readonly #pictures: Pictures;
  readonly #readers = new Set<MjpegReader>();

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#pictures = new Pictures(options);
  }

  /** Ends all readers. Safe to call twice. */
  async stop(): Promise<void> {
    for (const reader of [...this.#readers]) reader.end();
    this.#pictures.stop();
  }

  /**
   * @throws FaceplateError INVALID_REQUEST, NOT_FOUND, CAMERA_*, UNSUPPORTED_CODEC, SESSION_LIMIT, TOO_LARGE,
   * UNSUPPORTED_HARDWARE, HARDWARE_*
   */
  async snapshot(
    { url, width }: { readonly url: string; readonly width?: number | undefined },
    { signal }: Call,
  ): Promise<Media> {
    const camera = this.#options.cameras.find(url).url;
    const picture = await this.#pictures.take(camera, width, signal);
    const body = await this.#pictures.asJpeg(picture, width, signal);
    const takenAt = new Date(picture.takenAt).toISOString();
    return { type: 'image/jpeg', body, etag: etagOf(body), takenAt };
  }

  /** @throws FaceplateError as `snapshot` */
  async mjpeg(
    { url, fps, width }: { readonly url: string; readonly fps: number; readonly width?: number | undefined },
    { signal }: Call,
  ): Promise<Media> {
    const camera = this.#options.cameras.find(url).url;
    if (this.#readers.size >= MAX_MJPEG)
      throw new FaceplateError(
        'SESSION_LIMIT',
        `${MAX_MJPEG} readers have pictures already; close one of them.`,
      );
    const { clock } = this.#options;
    const reader: MjpegReader = new MjpegReader({
      pictures: this.#pictures,
      camera,
      fps,
      width,
      clock,
      onEnd: () => this.#readers.delete(reader),
    });
    this.#readers.add(reader);
    try {
      await reader.begin(signal);
    } catch (error) {
      reader.end();
      throw error;
    }
    return { type: MJPEG_TYPE, body: reader, isEndless: true };
  }
}
