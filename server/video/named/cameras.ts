import { FaceplateError } from '../../contract/errors.ts';
import type { CameraInspection, NamedCameraState } from '../contract.ts';
import { keyOf } from '../hub.ts';
import { isCameraCode, verdictOfError } from '../media/verdict.ts';
import { type CameraAccess, type CameraUrl, namedCameraUrl, parseCameraUrl } from '../rtsp/cameraUrl.ts';
import { cameraNameKey, cameraPlace, type NamedCamera } from './settingsContract.ts';

/** 20 ms of G.711, as browsers send it. */
const USUAL_BYTES = 160;

/** The camera that a call names. */
export interface FoundCamera {
  readonly url: CameraUrl;
  /** Its entry of `streams.cameras`; undefined for an address. */
  readonly named: NamedCamera | undefined;
}

/** How voice goes to a camera. */
export interface TalkTerms {
  /** The same for all ways to name the camera. */
  readonly key: string;
  readonly mode: NamedCamera['talk'];
  /** Bytes of a packet, for codecs with one byte per tick. */
  readonly packetBytes: number;
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

  /** How voice goes to a camera; the address of one with a name counts as its name. */
  talkOf({ url, named }: FoundCamera): TalkTerms {
    const isSame = (camera: NamedCamera) => namedCameraUrl(camera, []).requestUri === url.requestUri;
    const entry = named ?? this.#access.cameras().find(isSame);
    if (entry === undefined) return { key: keyOf(url), mode: 'auto', packetBytes: USUAL_BYTES };
    return { key: cameraNameKey(entry.name), mode: entry.talk, packetBytes: entry.talkBytes };
  }

  /** The same, of a camera with video. @throws FaceplateError UNSUPPORTED_CODEC for one that has pictures only */
  findVideo(text: string): FoundCamera {
    const found = this.find(text);
    if (found.url.kind === 'http')
      throw new FaceplateError(
        'UNSUPPORTED_CODEC',
        'This camera sends single pictures (JPEG or MJPEG), which browsers cannot play over WebRTC.',
      );
    return found;
  }

  /** Takes why a camera did not open. What is no fault of the camera is no verdict on it. */
  judgeFailure({ url, named }: FoundCamera, error: unknown): void {
    if (!(error instanceof FaceplateError) || !isCameraCode(error.code)) return;
    this.judge(named, verdictOfError(error, { isSecure: url.isSecure, hasVideo: true }).code);
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
