import {
  MAX_SDP_LINES,
  parametersOf,
  readSdp,
  type SdpBounds,
  type SdpFormat,
  SdpMedia,
  type SdpSection,
} from '../../webrtc/sdp.ts';
import { malformed } from './failure.ts';

/** One media line of a camera's description. */
export interface MediaDescription {
  /** `video`, `audio`, `application` ... */
  readonly kind: string;
  readonly formats: readonly SdpFormat[];
  /** Payload types whose a=rtpmap or a=fmtp is below another media line, as some cameras write it. */
  readonly borrowed: ReadonlySet<number>;
  /** As written by the camera: absolute, relative, `*` or empty. */
  readonly control: string;
}

export interface SessionDescription {
  readonly media: readonly MediaDescription[];
  /** Lines for sound that the camera wants to hear (ONVIF back channels). */
  readonly heard: readonly MediaDescription[];
  readonly control: string;
}

const BOUNDS: SdpBounds = {
  lines: MAX_SDP_LINES,
  media: 32,
  refuse: (what) => malformed(`its description has ${what}`),
};

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;

/**
 * Reads a camera's session description (RFC 8866); unknown lines are skipped.
 * @throws FaceplateError CAMERA_PROTOCOL beyond the limits, and for nothing else.
 */
export function parseSessionDescription(text: string): SessionDescription {
  const { session, media } = readSdp(text, BOUNDS);
  const directionOf = (line: SdpSection) => line.firstOf(DIRECTIONS) ?? session.firstOf(DIRECTIONS);
  const lines = media.map((line) => {
    const written = line.formats;
    return {
      direction: directionOf(line),
      kind: line.kind.toLowerCase(),
      formats: written.map((format) => mended(format, line, [session, ...media])),
      written,
      control: line.attributes('control').at(-1) ?? '',
    };
  });
  const video = lines.find(({ kind, formats }) => kind === 'video' || formats.some(isH264));
  // Directions are meant from our side, but for cameras whose video is "sendonly".
  const heard = video?.direction === 'sendonly' ? 'recvonly' : 'sendonly';
  const isHeard = ({ kind, direction }: (typeof lines)[number]) => kind === 'audio' && direction === heard;
  const isOff = ({ kind, direction }: (typeof lines)[number]) => kind === 'audio' && direction === 'inactive';
  const described = ({ kind, formats, written, control }: (typeof lines)[number]): MediaDescription => ({
    kind: kind !== 'audio' && formats.some(isH264) ? 'video' : kind,
    formats,
    borrowed: new Set(
      formats.filter((format, at) => format !== written[at]).map(({ payloadType }) => payloadType),
    ),
    control,
  });
  return {
    media: lines.filter((line) => !isHeard(line) && !isOff(line)).map(described),
    heard: lines.filter(isHeard).map(described),
    control: session.attributes('control').at(-1) ?? '',
  };
}

const isH264 = ({ codec }: SdpFormat): boolean => codec === 'H264';
const SAYS_H264 = ['sprop-parameter-sets', 'packetization-mode'];

/**
 * A format with the parameters that a camera wrote into another section, or for a payload type that does not exist; and
 * with the codec of these parameters, where none is named.
 */
function mended(format: SdpFormat, own: SdpMedia, sections: readonly SdpSection[]): SdpFormat {
  const { payloadType } = format;
  let { codec, clockRate, channels, parameters } = format;
  if ((parameters.size === 0 && payloadType >= 96) || codec === '') {
    for (const section of sections) {
      if (section instanceof SdpMedia && section.payloadTypes.includes(payloadType)) continue;
      const other = section.format(payloadType);
      if (codec === '' && other.codec !== '') ({ codec, clockRate, channels } = other);
      if (parameters.size === 0 && payloadType >= 96) ({ parameters } = other);
    }
  }
  if (parameters.size === 0 && codec === 'H264') {
    const all = parametersOf(own.attributes('fmtp').map((value) => value.replace(/^\S*\s*/, '')));
    if (SAYS_H264.some((name) => all.has(name))) parameters = all;
  }
  if (codec === '' && SAYS_H264.some((name) => parameters.has(name))) {
    codec = 'H264';
    clockRate = 90_000;
  }
  const isAsWritten = codec === format.codec && parameters === format.parameters;
  return isAsWritten ? format : { ...format, codec, clockRate, channels, parameters };
}

/** An address in its parts; `schemes` and `authority` may be empty, `rest` begins with `/`, `?` or `#`. */
function partsOf(address: string): { schemes: string; authority: string; rest: string } {
  const [, schemes = '', authority = '', rest = ''] =
    /^((?:[a-z][a-z0-9+.-]*:\/\/)*)([^/?#]*)(.*)$/is.exec(address) ?? [];
  return { schemes, authority: authority.replace(/^.*@/, ''), rest: rest.replaceAll(/\s/g, '%20') };
}

/** Scheme, host and port of the address of the connection. */
const originOf = (address: string): string => /^[a-z]+:\/\/[^/?#]*/i.exec(address)?.[0] ?? address;

/** The authority as the camera writes it if it means our own host and port, else our own. */
function ownOrigin(authority: string, origin: string): string {
  const usual = /^rtsps:/i.test(origin) ? ':322' : ':554';
  const whole = (text: string): string => (/:\d+$/.test(text) ? text : text + usual).toLowerCase();
  const [scheme = '', own = ''] = origin.split('://');
  return whole(authority) === whole(own) ? `${scheme}://${authority}` : origin;
}

/**
 * The address that those of the tracks are below: Content-Base, at the host and port that we are connected to, whatever
 * name the camera uses for itself.
 * @param given as the camera writes it
 * @returns the address of the request if the given one is none; and whether it is no address, or of another host
 */
export function baseOf(given: string | undefined, requestUri: string): { base: string; isMended: boolean } {
  const text = given?.trim().replaceAll(/^[<"']+|[>"']+$/g, '') ?? '';
  if (text === '' || text === '*') return { base: requestUri, isMended: false };
  const origin = originOf(requestUri);
  const { schemes, authority, rest } = partsOf(text);
  if (schemes !== '') {
    const own = ownOrigin(authority, origin);
    const isOther = own === origin && isAddress(authority) && isAddress(partsOf(origin).authority);
    const isMended = !/^rtsps?:\/\/$/i.test(schemes) || (isOther && partsOf(origin).authority !== authority);
    return { base: own + rest, isMended };
  }
  if (authority === '') return { base: origin + rest, isMended: true };
  // A host without a scheme; a name alone is a relative address.
  const isHost = /^(?:\[[^\]]+\]|[\w.-]*[.:][\w.:-]*)$/.test(authority);
  return { base: isHost ? ownOrigin(authority, origin) + rest : requestUri, isMended: true };
}

const isAddress = (authority: string): boolean => /^\d+\.\d+\.\d+\.\d+(?::\d+)?$|^\[|::/.test(authority);

/**
 * The addresses that a control attribute may mean, the likeliest first: RFC 3986 for those that begin with a slash or a
 * question mark, and all others appended (RFC 2326 section C.1.1), even to a query, as cameras with `?channel=1` mean it.
 */
export function controlAddresses(base: string, control: string, requestUri: string): string[] {
  const clean = control.trim().replaceAll(/\s/g, '%20');
  if (clean === '' || clean === '*') return [base];
  const origin = originOf(base);
  if (/^rtsps?:\/\//i.test(clean)) {
    const { authority, rest } = partsOf(clean);
    return [ownOrigin(authority, origin) + rest];
  }
  const below = (address: string): string =>
    `${address}${address.endsWith('/') ? '' : '/'}${clean.replace(/^\//, '')}`;
  const [path = '', query] = base.split('?', 2);
  if (clean.startsWith('/')) return unique(origin + clean, below(base), below(requestUri));
  if (clean.startsWith('?'))
    return unique(path + clean, path.replace(/\/$/, '') + clean, below(base), below(requestUri));
  return unique(
    below(base),
    query === undefined ? below(base) : `${below(path)}?${query.replace(/\/$/, '')}`,
    below(requestUri),
    // RFC 3986 section 5.2.3: in place of the last element.
    below(path === origin ? path : path.replace(/[^/]*$/, '')),
  );
}

const unique = (...addresses: string[]): string[] => [...new Set(addresses)];

/** Removes `user:password@`: it is sent in the Authorization header only. */
export function withoutLogin(url: string): string {
  return url.replace(/^((?:rtsps?|onvif):\/\/)[^/?#]*@/i, '$1');
}
