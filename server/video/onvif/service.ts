import { FaceplateError } from '../../contract/errors.ts';
import { pause, unlessAborted } from '../../platform/async.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { maskedLogins, withoutLogins } from '../../platform/redaction.ts';
import type { CameraAccess, CameraUrl } from '../rtsp/cameraUrl.ts';
import { noAnswer } from '../rtsp/failure.ts';
import { choose, chooseWide, chosenAs, type ViewerSize } from './choice.ts';
import { OnvifDevice, type OnvifProfile, orFault } from './device.ts';
import { OnvifHosts } from './hosts.ts';
import { escaped } from './xml.ts';

/** How long what a camera said of itself counts for viewers, in milliseconds. */
const KNOWN_MS = 600_000;
/** Cameras whose description is remembered. */
const MAX_KNOWN = 64;
/** Time for a camera to describe itself, in milliseconds. */
const DESCRIBE_MS = 12_000;
/** Pause before a Stop that failed is sent again, in milliseconds. */
const STOP_AGAIN_MS = 500;

/** A profile as sessions show it. */
export interface SessionProfile {
  readonly token: string;
  readonly width: number;
  readonly height: number;
}

/** One stream of a camera. */
export interface ChosenStream {
  readonly url: CameraUrl;
  readonly profile: SessionProfile;
}

/** How a camera is moved. */
export interface Movement {
  readonly pan?: number | undefined;
  readonly tilt?: number | undefined;
  readonly zoom?: number | undefined;
  readonly seconds?: number | undefined;
  readonly preset?: string | undefined;
  readonly stop?: true | undefined;
}

interface Asked {
  readonly of: Promise<Known>;
  readonly at: number;
  isDone: boolean;
}

interface Known {
  readonly device: OnvifDevice;
  /** Addresses of streams by token. */
  readonly urls: Map<string, CameraUrl>;
}

interface OnvifOptions {
  readonly access: CameraAccess;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** What cameras say of themselves over ONVIF, and their movements. Methods throw what `OnvifHosts.call` throws. */
export class OnvifCameras {
  readonly #options: OnvifOptions;
  readonly hosts: OnvifHosts;
  readonly #known = new Map<string, Asked>();
  /** Movements that have to be stopped, by camera. */
  readonly #moving = new Map<string, { cancel: () => void; stop: () => Promise<void> }>();
  readonly #stopped = new AbortController();

  constructor(options: OnvifOptions) {
    this.#options = options;
    this.hosts = new OnvifHosts(options.access, options.clock);
  }

  /** Stops what moves. */
  async stop(): Promise<void> {
    const moving = [...this.#moving.values()];
    this.#moving.clear();
    await Promise.all(
      moving.map(({ cancel, stop }) => {
        cancel();
        return stop();
      }),
    );
    this.#stopped.abort(new FaceplateError('SHUTTING_DOWN'));
  }

  /** All that a camera has, asked anew. */
  async describe(url: CameraUrl, signal: AbortSignal) {
    await this.hosts.readClock(url, signal);
    const known = await this.#knownOf(url, signal, 0);
    const { device } = known;
    const profiles = [];
    for (const profile of device.profiles) {
      const { token, name, codec, width, height, fps } = profile;
      const stream = await orFault(this.#urlOf(known, token, signal));
      const shown = stream === undefined ? null : withoutLogins(maskedLogins(stream.requestUri));
      profiles.push({
        token,
        name,
        codec,
        width,
        height,
        fps,
        url: shown,
        chosen: chosenAs(profile, device.profiles),
      });
    }
    const first = choose(device.profiles) ?? device.profiles[0];
    return {
      // Never -0, and a difference of half a second is none.
      clockOffSeconds: Math.round(device.clockOffSeconds - 0.001) + 0,
      profiles,
      snapshot: first !== undefined && (await device.snapshotUrl(first.token, signal)) !== undefined,
      talk: await device.speaks(signal),
      ptz: device.mover !== undefined,
      events: device.has('tev'),
      presets: await device.presets(signal),
    };
  }

  /**
   * The stream that fits a viewer.
   * @throws FaceplateError UNSUPPORTED_CODEC where no profile is H.264
   */
  async streamFor(url: CameraUrl, size: ViewerSize | undefined, signal: AbortSignal): Promise<ChosenStream> {
    return this.#streamOf(url, (profiles) => choose(profiles, size), signal);
  }

  /** The stream for a picture of this width. @throws FaceplateError as `streamFor` */
  async streamWide(url: CameraUrl, width: number | undefined, signal: AbortSignal): Promise<ChosenStream> {
    return this.#streamOf(url, (profiles) => chooseWide(profiles, width), signal);
  }

  async #streamOf(
    url: CameraUrl,
    which: (profiles: readonly OnvifProfile[]) => OnvifProfile | undefined,
    signal: AbortSignal,
  ): Promise<ChosenStream> {
    const known = await this.#knownOf(url, signal);
    const profile = which(known.device.profiles);
    if (profile === undefined) throw withoutH264(known.device.profiles);
    const { token, width, height } = profile;
    return { url: await this.#urlOf(known, token, signal), profile: { token, width, height } };
  }

  /** The streams of a camera whose addresses viewers have asked for already. */
  async knownStreams(url: CameraUrl, signal: AbortSignal): Promise<ChosenStream[]> {
    const { device, urls } = await this.#knownOf(url, signal);
    return device.profiles.flatMap(({ token, codec, width, height }) => {
      const stream = codec === 'H264' ? urls.get(token) : undefined;
      return stream === undefined ? [] : [{ url: stream, profile: { token, width, height } }];
    });
  }

  /** The camera as it described itself, at most ten minutes ago. */
  async deviceOf(url: CameraUrl, signal: AbortSignal): Promise<OnvifDevice> {
    return (await this.#knownOf(url, signal)).device;
  }

  /** What is known of a camera may be wrong: it is asked again. */
  forget(url: CameraUrl): void {
    this.#known.delete(keyOf(url));
  }

  /**
   * Moves a camera. It stops after `seconds`, by a Stop of ours: many cameras ignore the time of the movement.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, NOT_FOUND with the field `preset`
   */
  async move(url: CameraUrl, movement: Movement, signal: AbortSignal): Promise<void> {
    const device = await this.deviceOf(url, signal);
    const { mover } = device;
    if (mover === undefined)
      throw new FaceplateError('UNSUPPORTED_HARDWARE', 'The camera says that it cannot be moved (no PTZ).');
    const profile = `<tptz:ProfileToken>${escaped(mover.token)}</tptz:ProfileToken>`;
    const key = keyOf(url);
    const both = '<tptz:PanTilt>true</tptz:PanTilt><tptz:Zoom>true</tptz:Zoom>';
    const halt = async (until: AbortSignal): Promise<void> => {
      await device.call('tptz', 'Stop', `${profile}${both}`, until);
    };
    // A new movement replaces the one before, and its end.
    this.#moving.get(key)?.cancel();
    this.#moving.delete(key);
    if (movement.stop) return halt(signal);
    if (movement.preset !== undefined) {
      const token = presetOf(await device.presets(signal), movement.preset);
      const preset = `<tptz:PresetToken>${escaped(token)}</tptz:PresetToken>`;
      await device.call('tptz', 'GotoPreset', `${profile}${preset}`, signal);
      return;
    }
    const { pan, tilt, zoom, seconds = 0.5 } = movement;
    const turn =
      pan === undefined && tilt === undefined ? '' : `<tt:PanTilt x="${pan ?? 0}" y="${tilt ?? 0}"/>`;
    const scale = zoom === undefined ? '' : `<tt:Zoom x="${zoom}"/>`;
    const velocity = `<tptz:Velocity>${turn}${scale}</tptz:Velocity><tptz:Timeout>PT${seconds}S</tptz:Timeout>`;
    // Before the camera is asked: one whose answer is lost may move all the same.
    this.#stopAfter(key, seconds, halt);
    await device.call('tptz', 'ContinuousMove', `${profile}${velocity}`, signal);
    // Counted from the moment that the camera took it.
    if (this.#moving.has(key)) this.#stopAfter(key, seconds, halt);
  }

  #stopAfter(key: string, seconds: number, halt: (signal: AbortSignal) => Promise<void>): void {
    this.#moving.get(key)?.cancel();
    const { clock, log } = this.#options;
    const stop = async (): Promise<void> => {
      for (const isLast of [false, true])
        try {
          return await halt(this.#stopped.signal);
        } catch (error) {
          if (this.#stopped.signal.aborted) return;
          if (isLast) log.warn({ err: error }, 'video: could not stop a moving camera');
          else await pause(STOP_AGAIN_MS, clock, this.#stopped.signal);
        }
    };
    const entry = { cancel: () => {}, stop };
    entry.cancel = clock.after(seconds * 1000, () => {
      if (this.#moving.get(key) === entry) this.#moving.delete(key);
      void stop();
    });
    this.#moving.set(key, entry);
  }

  /** Callers at one time share the calls. @param knownMs how old what is known may be */
  async #knownOf(url: CameraUrl, signal: AbortSignal, knownMs = KNOWN_MS): Promise<Known> {
    const key = keyOf(url);
    const known = this.#known.get(key);
    const now = this.#options.clock.now();
    if (known !== undefined && (!known.isDone || now - known.at < knownMs))
      return unlessAborted(known.of, signal);
    this.#known.delete(key);
    const entry: Asked = { of: this.#ask(url), at: now, isDone: false };
    this.#known.set(key, entry);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    entry.of.then(
      () => {
        entry.isDone = true;
      },
      () => {
        if (this.#known.get(key) === entry) this.#known.delete(key);
      },
    );
    return unlessAborted(entry.of, signal);
  }

  async #ask(url: CameraUrl): Promise<Known> {
    const limit = AbortSignal.timeout(DESCRIBE_MS);
    const signal = AbortSignal.any([this.#stopped.signal, limit]);
    try {
      return { device: await OnvifDevice.of(this.hosts, url, signal), urls: new Map() };
    } catch (error) {
      throw error === limit.reason ? noAnswer('ONVIF') : error;
    }
  }

  async #urlOf({ device, urls }: Known, token: string, signal: AbortSignal): Promise<CameraUrl> {
    const url = urls.get(token) ?? (await device.streamUrl(token, signal));
    urls.set(token, url);
    return url;
  }
}

/** Another login is another camera. */
const keyOf = ({ host, port, credentials }: CameraUrl): string => JSON.stringify([host, port, credentials]);

function presetOf(presets: readonly { token: string; name: string }[], wanted: string): string {
  const found =
    presets.find(({ token }) => token === wanted) ??
    presets.find(({ name }) => name === wanted) ??
    presets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined)
    throw new FaceplateError('NOT_FOUND', 'The camera has no preset of this token or name.', {
      field: 'preset',
    });
  return found.token;
}

function withoutH264(profiles: readonly OnvifProfile[]): FaceplateError {
  const codecs = [...new Set(profiles.map(({ codec }) => codec))].join(', ');
  return new FaceplateError(
    'UNSUPPORTED_CODEC',
    codecs === ''
      ? 'The camera has no video profile: make one with H.264 in the camera.'
      : `No profile of the camera is H.264 (it has ${codecs}): set one to H.264 in the camera.`,
  );
}
