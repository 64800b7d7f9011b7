import { FaceplateError } from '../../contract/errors.ts';
import type { CameraInspection, NamedCameraState } from '../contract.ts';
import { type CameraAccess, type CameraUrl, namedCameraUrl, parseCameraUrl } from '../rtsp/cameraUrl.ts';
import { cameraNameKey, cameraPlace, type NamedCamera } from './settingsContract.ts';

/** The camera that a call names. */
export interface FoundCamera {
  readonly url: CameraUrl;
  /** Its entry of `streams.cameras`; undefined for an address. */
  readonly named: NamedCamera | undefined;
}

type Code = CameraInspection['code'];

/** The cameras of `streams.cameras`, and how each of them did last. */
export class Cameras {
  readonly #access: CameraAccess;
  readonly #now: () => Date;
  /** By the key of the name. It is for this address alone. */
  readonly #verdicts = new Map<string, { readonly url: string; readonly code: Code; readonly at: string }>();

  constructor(access: CameraAccess, now = () => new Date()) {
    this.#access = access;
    this.#now = now;
  }

  /**
   * The camera of an address, or of `camera:` and a name.
   * @throws FaceplateError INVALID_REQUEST, NOT_FOUND for a name that no camera has
   */
  find(text: string): FoundCamera {
    const logins = this.#access.logins();
    const name = /^camera:(.*)$/is.exec(text)?.[1];
    if (name === undefined) return { url: parseCameraUrl(text, logins), named: undefined };
    const named = this.#named(name);
    if (named === undefined)
      throw new FaceplateError('NOT_FOUND', 'No camera of the setting streams.cameras has this name.', {
        field: 'url',
      });
    return { url: namedCameraUrl(named, logins), named };
  }

  /** Takes how a camera did; of one without a name nothing is remembered. */
  judge(named: NamedCamera | undefined, code: Code): void {
    if (named === undefined) return;
    const key = cameraNameKey(named.name);
    this.#verdicts.set(key, { url: named.url, code, at: this.#now().toISOString() });
  }

  /** All of them, in the order of the setting. */
  states(): NamedCameraState[] {
    const cameras = this.#access.cameras();
    const keys = new Set(cameras.map(({ name }) => cameraNameKey(name)));
    for (const key of this.#verdicts.keys()) if (!keys.has(key)) this.#verdicts.delete(key);
    return cameras.map(({ name, url, talk, events }) => {
      const verdict = this.#verdicts.get(cameraNameKey(name));
      return {
        name,
        host: cameraPlace(url)?.replace(/:\d+$/, '') ?? '',
        talk,
        events: [...events],
        verdict: verdict?.url === url ? { code: verdict.code, at: verdict.at } : null,
      };
    });
  }

  /** The name may be percent-encoded; one with a "%" in it may be written as it is. */
  #named(text: string): NamedCamera | undefined {
    const find = (name: string) =>
      this.#access.cameras().find((camera) => cameraNameKey(camera.name) === cameraNameKey(name));
    return find(text) ?? find(decoded(text));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
