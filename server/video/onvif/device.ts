import { FaceplateError } from '../../contract/errors.ts';
import { type CameraUrl, parseCameraUrl } from '../rtsp/cameraUrl.ts';
import { malformedOnvif } from './failure.ts';
import { DEVICE_PATH, type OnvifHosts, type OnvifTarget, type SoapCall } from './hosts.ts';
import { namespaceOf, type Service } from './soap.ts';
import { childAt, childrenOf, escaped, findIn, textAt, type XmlElement } from './xml.ts';

export type ProfileCodec = 'H264' | 'H265' | 'JPEG' | 'MPEG4';

/** A video profile of a camera. */
export interface OnvifProfile {
  readonly token: string;
  readonly name: string;
  readonly codec: ProfileCodec;
  readonly width: number;
  readonly height: number;
  /** Null where the camera does not say. */
  readonly fps: number | null;
  /** Whether the camera can be moved with it. */
  readonly moves: boolean;
}

/** Profiles of one camera; recorders have many. */
const MAX_PROFILES = 64;
const MAX_PRESETS = 256;
/** Longest token and name that are taken, in characters. */
const MAX_TEXT = 256;

const CODECS: Readonly<Record<string, ProfileCodec>> = {
  H264: 'H264',
  H265: 'H265',
  HEVC: 'H265',
  JPEG: 'JPEG',
  MJPEG: 'JPEG',
  MPEG4: 'MPEG4',
  'MPV4-ES': 'MPEG4',
  'MP4V-ES': 'MPEG4',
};

/** Where a service of a camera is: the host is always the one that was dialled. */
interface ServicePlace {
  readonly port: number;
  readonly path: string;
}

/** The services and profiles of one camera, as it described them. Its methods throw what `OnvifHosts.call` throws. */
export class OnvifDevice {
  readonly #hosts: OnvifHosts;
  readonly #target: OnvifTarget;
  readonly #services: ReadonlyMap<Service, ServicePlace>;
  /** Which media service named the profiles. */
  readonly #media: 'trt' | 'tr2';
  /** Those with a video encoder. */
  readonly profiles: readonly OnvifProfile[];

  private constructor(
    hosts: OnvifHosts,
    target: OnvifTarget,
    services: ReadonlyMap<Service, ServicePlace>,
    media: 'trt' | 'tr2',
    profiles: readonly OnvifProfile[],
  ) {
    this.#hosts = hosts;
    this.#target = target;
    this.#services = services;
    this.#media = media;
    this.profiles = profiles;
  }

  /** Asks a camera for its services and profiles. */
  static async of(hosts: OnvifHosts, target: OnvifTarget, signal: AbortSignal): Promise<OnvifDevice> {
    const services = await servicesOf(hosts, target, signal);
    const device = (media: 'trt' | 'tr2', profiles: readonly OnvifProfile[]) =>
      new OnvifDevice(hosts, target, services, media, profiles);
    const isOld = !services.has('tr2');
    if (!isOld) {
      // Without "All" some name their profiles and nothing of what is in them.
      const answer = await orFault(
        device('tr2', []).call('tr2', 'GetProfiles', '<tr2:Type>All</tr2:Type>', signal),
      );
      const profiles = answer === undefined ? [] : profilesOf(answer);
      if (profiles.length > 0 || !services.has('trt')) return device('tr2', profiles);
    }
    return device('trt', profilesOf(await device('trt', []).call('trt', 'GetProfiles', '', signal)));
  }

  has(service: Service): boolean {
    return this.#services.has(service);
  }

  /** By how many seconds the camera's clock is ahead. */
  get clockOffSeconds(): number {
    return this.#hosts.clockOff(this.#target);
  }

  /** One call to a service. @param inside the elements of the request @throws FaceplateError CAMERA_PROTOCOL where it has no such service */
  call(service: Service, what: string, inside: string, signal: AbortSignal): Promise<XmlElement> {
    const place = this.#services.get(service);
    if (place === undefined) throw malformedOnvif(`it has no service for ${what}`);
    return this.#hosts.call(
      { ...this.#target, port: place.port },
      { path: place.path, body: `<${service}:${what}>${inside}</${service}:${what}>`, what },
      signal,
    );
  }

  /** A call to an address that the camera named: to the host that was dialled, with its login. @throws as `call` */
  callAt(address: string, call: Omit<SoapCall, 'path'>, signal: AbortSignal): Promise<XmlElement> {
    const place = placeOf(address, this.#target);
    if (place === undefined) throw malformedOnvif(`it names no address for ${call.what}`);
    return this.#hosts.call({ ...this.#target, port: place.port }, { ...call, path: place.path }, signal);
  }

  /** The address of a profile's stream, with the login of the camera. */
  async streamUrl(token: string, signal: AbortSignal): Promise<CameraUrl> {
    const profile = `<${this.#media}:ProfileToken>${escaped(token)}</${this.#media}:ProfileToken>`;
    const setup =
      '<trt:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream><tt:Transport><tt:Protocol>RTSP</tt:Protocol></tt:Transport></trt:StreamSetup>';
    const inside =
      this.#media === 'tr2' ? `<tr2:Protocol>RTSP</tr2:Protocol>${profile}` : `${setup}${profile}`;
    const uri = findIn(await this.call(this.#media, 'GetStreamUri', inside, signal), 'Uri')?.text ?? '';
    const { credentials } = this.#target;
    try {
      const url = new URL(this.#here(uri, /^rtsps?:$/));
      return { ...parseCameraUrl(url.href), credentials };
    } catch {
      throw malformedOnvif('it names no address of the stream');
    }
  }

  /** The address of a profile's picture, without a login; undefined where it has none. */
  async snapshotUrl(token: string, signal: AbortSignal): Promise<string | undefined> {
    const inside = `<${this.#media}:ProfileToken>${escaped(token)}</${this.#media}:ProfileToken>`;
    const answer = await orFault(this.call(this.#media, 'GetSnapshotUri', inside, signal));
    try {
      return this.#here(findIn(answer, 'Uri')?.text ?? '', /^https?:$/);
    } catch {
      return undefined;
    }
  }

  /** Whether it says that it has a loudspeaker. */
  async speaks(signal: AbortSignal): Promise<boolean> {
    if (this.has('trt')) {
      const answer = await orFault(this.call('trt', 'GetAudioOutputs', '', signal));
      return childrenOf(answer, 'AudioOutputs').length > 0;
    }
    if (!this.has('tr2')) return false;
    const answer = await orFault(this.call('tr2', 'GetAudioOutputConfigurations', '', signal));
    return childrenOf(answer, 'Configurations').length > 0;
  }

  /** The profile that the camera is moved with; undefined: it cannot be moved. */
  get mover(): OnvifProfile | undefined {
    return this.has('tptz') ? this.profiles.find(({ moves }) => moves) : undefined;
  }

  /** Where it can be moved to. */
  async presets(signal: AbortSignal): Promise<{ token: string; name: string }[]> {
    if (this.mover === undefined) return [];
    const inside = `<tptz:ProfileToken>${escaped(this.mover.token)}</tptz:ProfileToken>`;
    const answer = await orFault(this.call('tptz', 'GetPresets', inside, signal));
    return childrenOf(answer, 'Preset')
      .slice(0, MAX_PRESETS)
      .map((preset) => {
        const token = (preset.attributes.get('token') ?? '').slice(0, MAX_TEXT);
        return { token, name: textAt(preset, 'Name').slice(0, MAX_TEXT) || token };
      })
      .filter(({ token }) => token !== '');
  }

  /** An address of an answer, at the host that was dialled and without a login. @throws for one of another kind */
  #here(text: string, protocol: RegExp): string {
    const url = new URL(text);
    if (!protocol.test(url.protocol)) throw malformedOnvif('it names an address of another kind');
    url.username = '';
    url.password = '';
    const { port } = url;
    // Of a scheme that URL does not know, only the authority as a whole can be replaced.
    return url.href.replace(
      /^([a-z]+:\/\/)[^/?#]*/,
      `$1${this.#target.host}${port === '' ? '' : `:${port}`}`,
    );
  }
}

/** The services of a camera, by GetServices, or by GetCapabilities where it does not know that. */
async function servicesOf(
  hosts: OnvifHosts,
  target: OnvifTarget,
  signal: AbortSignal,
): Promise<ReadonlyMap<Service, ServicePlace>> {
  const device: ServicePlace = { port: target.port, path: DEVICE_PATH };
  const services = new Map<Service, ServicePlace>();
  const call = (what: string, inside: string) =>
    orFault(
      hosts.call(target, { path: DEVICE_PATH, body: `<tds:${what}>${inside}</tds:${what}>`, what }, signal),
    );
  const add = (service: Service, address: string) => {
    const place = placeOf(address, target);
    if (place !== undefined && !services.has(service)) services.set(service, place);
  };
  const listed = await call('GetServices', '<tds:IncludeCapability>false</tds:IncludeCapability>');
  for (const entry of childrenOf(listed, 'Service'))
    for (const service of ['trt', 'tr2', 'tptz', 'tev'] as const)
      if (textAt(entry, 'Namespace') === namespaceOf(service)) add(service, textAt(entry, 'XAddr'));
  if (!services.has('trt') && !services.has('tr2')) {
    const named = findIn(await call('GetCapabilities', '<tds:Category>All</tds:Category>'), 'Capabilities');
    for (const [name, service] of [
      ['Media', 'trt'],
      ['PTZ', 'tptz'],
      ['Events', 'tev'],
    ] as const)
      if (childAt(named, name, 'XAddr')) add(service, textAt(named, name, 'XAddr'));
    // The oldest have everything in one place.
    if (!services.has('trt')) services.set('trt', device);
  }
  return services.set('tds', device);
}

/** Port and path of an address; TLS is not asked for where it was not dialled. */
function placeOf(address: string, { port }: OnvifTarget): ServicePlace | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  const path = `${url.pathname}${url.search}`;
  return url.protocol === 'https:' ? { port, path } : { port: url.port === '' ? 80 : Number(url.port), path };
}

/** Undefined for a call that the camera refuses or answers oddly, as one that it does not know. */
export async function orFault<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FaceplateError && error.code === 'CAMERA_PROTOCOL') return undefined;
    throw error;
  }
}

/** Profiles with a video encoder, of Media1 and Media2. */
function profilesOf(answer: XmlElement): OnvifProfile[] {
  return childrenOf(answer, 'Profiles')
    .slice(0, MAX_PROFILES)
    .flatMap((profile) => {
      const encoder =
        childAt(profile, 'VideoEncoderConfiguration') ?? childAt(profile, 'Configurations', 'VideoEncoder');
      const codec =
        CODECS[
          textAt(encoder, 'Encoding')
            .toUpperCase()
            .replace(/^H\.26/, 'H26')
        ];
      const token = profile.attributes.get('token') ?? '';
      const number = (...names: string[]) => Number.parseFloat(textAt(encoder, ...names));
      const [width, height] = [number('Resolution', 'Width'), number('Resolution', 'Height')];
      const fps = number('RateControl', 'FrameRateLimit');
      if (codec === undefined || token === '' || token.length > MAX_TEXT) return [];
      if (!(width > 0 && width <= 65_535 && height > 0 && height <= 65_535)) return [];
      return [
        {
          token,
          name: textAt(profile, 'Name').slice(0, MAX_TEXT) || token,
          codec,
          width: Math.round(width),
          height: Math.round(height),
          fps: fps > 0 && fps < 1_000 ? fps : null,
          moves:
            childAt(profile, 'PTZConfiguration') !== undefined ||
            childAt(profile, 'Configurations', 'PTZ') !== undefined,
        },
      ];
    });
}
