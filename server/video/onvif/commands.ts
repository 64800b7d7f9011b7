import { FaceplateError } from '../../contract/errors.ts';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Cameras } from '../named/cameras.ts';
import type { CameraUrl } from '../rtsp/cameraUrl.ts';
import { type FoundCamera, searchCameras } from './discovery.ts';
import { DEVICE_PATH, type OnvifHosts } from './hosts.ts';
import type { Movement, OnvifCameras } from './service.ts';
import { textAt } from './xml.ts';

/** Cameras that are asked at one time whether they want a login, and how long one may take behind the search. */
const AT_ONCE = 16;
const LATE_MS = 1_000;
const MAX_TEXT = 100;

interface OnvifCommandsOptions {
  readonly cameras: Cameras;
  readonly onvif: OnvifCameras;
  readonly clock: Clock;
  /** Another search for tests. */
  readonly search?: typeof searchCameras;
}

/** What a camera says without a login. */
interface Introduction {
  readonly maker: string | null;
  readonly name: string | null;
  readonly needsLogin: boolean | null;
}

interface Call {
  readonly signal: AbortSignal;
}

/** The commands about ONVIF cameras. */
export class OnvifCommands {
  readonly #options: OnvifCommandsOptions;
  #isSearching = false;

  constructor(options: OnvifCommandsOptions) {
    this.#options = options;
  }

  /** Looks for cameras. @throws FaceplateError CONFLICT while another search runs */
  async search({ seconds }: { readonly seconds: number }, { signal }: Call) {
    if (this.#isSearching) throw new FaceplateError('CONFLICT', 'A search for cameras runs already.');
    this.#isSearching = true;
    const ended = new AbortController();
    try {
      const { clock, onvif, search = searchCameras } = this.#options;
      const introductions = new Introductions(onvif.hosts, AbortSignal.any([signal, ended.signal]));
      const onFound = (camera: FoundCamera) => introductions.ask(camera);
      const found = await search({ seconds, clock, signal, onFound });
      await Promise.race([introductions.all(), pause(LATE_MS, clock, signal)]);
      const cameras = found.map((camera) => {
        const { host, port, name, maker } = camera;
        const said = introductions.of(camera);
        return {
          name: name ?? said.name,
          maker: said.maker ?? maker,
          host,
          port,
          url: `onvif://${host}:${port}/`,
          needsLogin: said.needsLogin,
        };
      });
      return { cameras };
    } finally {
      this.#isSearching = false;
      ended.abort(new FaceplateError('CAMERA_TIMEOUT'));
    }
  }

  /** What a camera says of itself. @throws FaceplateError INVALID_REQUEST, NOT_FOUND, CAMERA_* */
  profiles({ url }: { readonly url: string }, { signal }: Call) {
    return this.#options.onvif.describe(this.#onvifUrl(url), signal);
  }

  /** Moves a camera. @throws FaceplateError as `profiles`, and UNSUPPORTED_HARDWARE */
  async ptz(
    { url, ...movement }: Movement & { readonly url: string },
    { signal }: Call,
  ): Promise<Record<string, never>> {
    await this.#options.onvif.move(this.#onvifUrl(url), movement, signal);
    return {};
  }

  #onvifUrl(text: string): CameraUrl {
    const { url } = this.#options.cameras.find(text);
    if (url.kind !== 'onvif')
      throw new FaceplateError('INVALID_REQUEST', 'url must be of an ONVIF camera: onvif://host/.', {
        field: 'url',
      });
    return url;
  }
}

const NOTHING: Introduction = { maker: null, name: null, needsLogin: null };

/** Asks cameras for what they say without a login, some at a time. */
class Introductions {
  readonly #hosts: OnvifHosts;
  readonly #signal: AbortSignal;
  readonly #said = new Map<string, Introduction>();
  readonly #waiting: FoundCamera[] = [];
  readonly #asking = new Set<Promise<void>>();

  constructor(hosts: OnvifHosts, signal: AbortSignal) {
    this.#hosts = hosts;
    this.#signal = signal;
  }

  ask(camera: FoundCamera): void {
    if (this.#asking.size >= AT_ONCE) {
      this.#waiting.push(camera);
      return;
    }
    const asking = this.#introduce(camera).finally(() => {
      this.#asking.delete(asking);
      const next = this.#waiting.shift();
      if (next !== undefined) this.ask(next);
    });
    this.#asking.add(asking);
  }

  async all(): Promise<void> {
    while (this.#asking.size > 0) await Promise.all(this.#asking);
  }

  of({ host, port }: FoundCamera): Introduction {
    return this.#said.get(`${host}:${port}`) ?? NOTHING;
  }

  async #introduce({ host, port }: FoundCamera): Promise<void> {
    const what = 'GetDeviceInformation';
    const call = { path: DEVICE_PATH, body: `<tds:${what}/>`, what };
    const say = (said: Introduction) => this.#said.set(`${host}:${port}`, said);
    try {
      const answer = await this.#hosts.call({ host, port, credentials: undefined }, call, this.#signal);
      const text = (name: string) => textAt(answer, name).slice(0, MAX_TEXT) || null;
      say({ maker: text('Manufacturer'), name: text('Model'), needsLogin: false });
    } catch (error) {
      if (error instanceof FaceplateError && error.code === 'CAMERA_UNAUTHORIZED')
        say({ ...NOTHING, needsLogin: true });
    }
  }
}
