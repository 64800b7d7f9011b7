import { FaceplateError } from '../../contract/errors.ts';
import { CRYPTO_SUITES, type CryptoSuite, MASTER_LENGTH } from '../../media/srtp/aesCm.ts';

/** A far end's description is text of strangers: no more of it is looked at. */
const MAX_LENGTH = 32 * 1024;
const MAX_LINES = 500;
const MAX_MEDIA = 16;
const MAX_FORMATS = 64;

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** One payload type of a media line. */
export interface Format {
  readonly payloadType: number;
  /** Encoding name in upper case, such as H264 or PCMU; empty when the far end does not say. */
  readonly codec: string;
  readonly clockRate: number;
  readonly channels: number;
  /** Parameters of a=fmtp by lower-case name; what has no `=` stands under the empty name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Values of a=rtcp-fb for it, or for all. */
  readonly feedback: readonly string[];
}

/** One usable a=crypto line (RFC 4568). */
export interface Crypto {
  readonly tag: number;
  readonly suite: CryptoSuite;
  /** Master key and salt. */
  readonly master: Buffer;
}

/** Where something is sent to; the address is as it was written, a host name perhaps. */
export interface Destination {
  readonly address: string;
  readonly port: number;
}

/** One media line. */
export interface MediaLine {
  /** `audio`, `video`, `application` ... */
  readonly kind: string;
  /** 0: rejected, or switched off. */
  readonly port: number;
  readonly protocol: string;
  /** As written, to be repeated when the line is rejected. */
  readonly formatList: readonly string[];
  readonly formats: readonly Format[];
  /** Empty when there is none. */
  readonly address: string;
  readonly direction: Direction;
  /** Of a=rtcp; undefined: one above RTP (RFC 3605). */
  readonly rtcp: Destination | undefined;
  readonly rtcpMux: boolean;
  readonly cryptos: readonly Crypto[];
  /** Milliseconds of sound per packet that it would like. */
  readonly ptime: number | undefined;
  /** Bit rate that it takes at most, in bit/s. */
  readonly bitrate: number | undefined;
}

/** A session description (RFC 8866) as far as calls need it. */
export interface Description {
  readonly media: readonly MediaLine[];
}

/** Payload types with a fixed meaning (RFC 3551 section 6). */
const STATIC_FORMATS: Readonly<Record<number, readonly [codec: string, clockRate: number]>> = {
  0: ['PCMU', 8000],
  3: ['GSM', 8000],
  8: ['PCMA', 8000],
  9: ['G722', 8000],
  13: ['CN', 8000],
  18: ['G729', 8000],
};

/** Lines of the session, or of one media line: type and value. */
type Lines = readonly (readonly [type: string, value: string])[];

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

/**
 * Reads the description of a far end. Lines it does not know are left out.
 * @throws FaceplateError INVALID_REQUEST with field `sdp` where it is none, or beyond the bounds.
 */
export function parseDescription(text: string): Description {
  if (text.length > MAX_LENGTH) throw refuse('The session description is too long.');
  const rows = text.split(/\r\n|\n|\r/);
  if (rows.length > MAX_LINES || !rows[0]!.startsWith('v=0')) {
    throw refuse('This is not a session description.');
  }
  const session: [string, string][] = [];
  const media: [string, string][][] = [];
  for (const row of rows) {
    if (row[1] !== '=') continue;
    const line: [string, string] = [row[0]!, row.slice(2).trim()];
    if (line[0] === 'm') media.push([line]);
    else (media.at(-1) ?? session).push(line);
  }
  if (media.length === 0 || media.length > MAX_MEDIA) {
    throw refuse(`A session description needs 1 to ${MAX_MEDIA} media lines.`);
  }
  return { media: media.map((lines) => readMedia(lines, session)) };
}

function readMedia(lines: Lines, session: Lines): MediaLine {
  const match = /^([a-z]+) +(\d{1,5})(?:\/\d+)? +(\S+)((?: +\S+)+)$/.exec(lines[0]![1]);
  if (match === null || Number(match[2]) > 65_535) throw refuse('A media line cannot be read.');
  const formatList = match[4]!.trim().split(/ +/);
  if (formatList.length > MAX_FORMATS) throw refuse('A media line has too many formats.');
  return {
    kind: match[1]!,
    port: Number(match[2]),
    protocol: match[3]!.toUpperCase(),
    formatList,
    formats: formatList
      .filter((text) => /^\d{1,3}$/.test(text))
      .map((text) => readFormat(lines, Number(text))),
    address: addressOf(valuesOf(lines, 'c')[0] ?? valuesOf(session, 'c')[0] ?? ''),
    direction: directionOf(lines) ?? directionOf(session) ?? 'sendrecv',
    rtcp: rtcpOf(lines),
    rtcpMux: lines.some(([type, value]) => type === 'a' && value === 'rtcp-mux'),
    cryptos: attributes(lines, 'crypto').flatMap(readCrypto),
    ptime: numberIn(attributes(lines, 'ptime')[0], 10, 200),
    bitrate: bitrateOf(lines) ?? bitrateOf(session),
  };
}

const valuesOf = (lines: Lines, wanted: string): string[] =>
  lines.filter(([type]) => type === wanted).map(([, value]) => value);

/** Values of `a=<name>:` lines. */
const attributes = (lines: Lines, name: string): string[] =>
  valuesOf(lines, 'a')
    .filter((value) => value.startsWith(`${name}:`))
    .map((value) => value.slice(name.length + 1).trim());

/** A whole number in bounds, else undefined. */
function numberIn(text: string | undefined, least: number, most: number): number | undefined {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function addressOf(connection: string): string {
  return /^IN +IP[46] +([^\s/]+)/i.exec(connection)?.[1] ?? '';
}

function directionOf(lines: Lines): Direction | undefined {
  return valuesOf(lines, 'a').find((value): value is Direction =>
    ['sendrecv', 'sendonly', 'recvonly', 'inactive'].includes(value),
  );
}

function rtcpOf(lines: Lines): Destination | undefined {
  const [port, ...connection] = (attributes(lines, 'rtcp')[0] ?? '').split(/ +/);
  const number = numberIn(port, 1, 65_535);
  return number === undefined ? undefined : { port: number, address: addressOf(connection.join(' ')) };
}

/** b=TIAS in bit/s (RFC 3890), else b=AS in kbit/s. */
function bitrateOf(lines: Lines): number | undefined {
  const find = (name: string): number | undefined =>
    valuesOf(lines, 'b')
      .filter((value) => value.startsWith(`${name}:`))
      .map((value) => numberIn(value.slice(name.length + 1), 1, 999_999_999))
      .find((value) => value !== undefined);
  const kilobits = find('AS');
  return find('TIAS') ?? (kilobits === undefined ? undefined : kilobits * 1000);
}

function readFormat(lines: Lines, payloadType: number): Format {
  const own = (name: string): string[] =>
    attributes(lines, name)
      .filter((value) => value.startsWith(`${payloadType} `))
      .map((value) => value.slice(value.indexOf(' ') + 1).trim());
  const map = /^([^/\s]+)\/(\d{1,6})(?:\/(\d{1,2}))?/.exec(own('rtpmap')[0] ?? '');
  const [codec, clockRate] = STATIC_FORMATS[payloadType] ?? ['', 0];
  return {
    payloadType,
    codec: map === null ? codec : map[1]!.toUpperCase(),
    clockRate: map === null ? clockRate : Number(map[2]),
    channels: Number(map?.[3] ?? 1),
    parameters: readParameters(own('fmtp')[0] ?? ''),
    feedback: [
      ...own('rtcp-fb'),
      ...attributes(lines, 'rtcp-fb').flatMap((value) =>
        value.startsWith('* ') ? [value.slice(2).trim()] : [],
      ),
    ],
  };
}

function readParameters(value: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const field of value.split(';')) {
    // Base64 values end with '=': only the first one separates.
    const equals = field.indexOf('=');
    if (equals > 0)
      parameters.set(field.slice(0, equals).trim().toLowerCase(), field.slice(equals + 1).trim());
    else if (field.trim() !== '') parameters.set('', field.trim());
  }
  return parameters;
}

/** Lines with a suite we do not speak, several keys, or session parameters that change the processing are left out. */
function readCrypto(value: string): Crypto[] {
  const match = /^(\d{1,9}) +(\S+) +inline:([A-Za-z0-9+/]+=*)(?:\|[^\s;]*)?$/.exec(value);
  if (match === null || !Object.hasOwn(CRYPTO_SUITES, match[2]!)) return [];
  const master = Buffer.from(match[3]!, 'base64');
  // A master key identifier (MKI) would stand in every packet.
  if (master.length !== MASTER_LENGTH || /\|\d+:\d+/.test(value)) return [];
  return [{ tag: Number(match[1]), suite: match[2] as CryptoSuite, master }];
}
