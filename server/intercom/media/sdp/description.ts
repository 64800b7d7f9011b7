import { FaceplateError } from '../../../contract/errors.ts';
import {
  readSdp,
  type SdpBounds,
  type SdpFormat,
  type SdpMedia,
  type SdpSection,
} from '../../../webrtc/sdp.ts';
import { CRYPTO_SUITES, type CryptoSuite, MASTER_LENGTH } from '../../../webrtc/srtp/aesCm.ts';

/** A remote party's description is a stranger's text: no more of it is read. */
const MAX_LENGTH = 32 * 1024;
const BOUNDS: SdpBounds = {
  lines: 500,
  media: 16,
  refuse: (what) => refuse(`The session description has ${what}.`),
};

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** One payload type of a media line. */
export type Format = SdpFormat;

/** One usable a=crypto line (RFC 4568). */
export interface Crypto {
  readonly tag: number;
  readonly suite: CryptoSuite;
  /** Master key and salt. */
  readonly master: Buffer;
}

/** A destination; the address is as written, possibly a host name. */
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
  /** As written, to be repeated if the line is rejected. */
  readonly formatList: readonly string[];
  readonly formats: readonly Format[];
  /** Empty if there is none. */
  readonly address: string;
  readonly direction: Direction;
  /** From a=rtcp; undefined: one above RTP (RFC 3605). */
  readonly rtcp: Destination | undefined;
  readonly rtcpMux: boolean;
  readonly cryptos: readonly Crypto[];
  /** Preferred milliseconds of sound per packet. */
  readonly ptime: number | undefined;
  /** Highest bit rate that it accepts, in bit/s. */
  readonly bitrate: number | undefined;
}

/** The parts of a session description (RFC 8866) that calls need. */
export interface Description {
  readonly media: readonly MediaLine[];
}

function refuse(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'sdp' });
}

/**
 * Reads the description of a remote party. Unknown lines are skipped.
 * @throws FaceplateError INVALID_REQUEST with field `sdp` if it is not a description, or exceeds the limits.
 */
export function parseDescription(text: string): Description {
  if (text.length > MAX_LENGTH) throw refuse('The session description is too long.');
  const { session, media } = readSdp(text, BOUNDS);
  if (!text.startsWith('v=0')) throw refuse('This is not a session description.');
  if (media.length === 0) throw refuse('A session description needs a media line.');
  return { media: media.map((line) => readMedia(line, session)) };
}

function readMedia(line: SdpMedia, session: SdpSection): MediaLine {
  const port = /^(\d{1,5})(?:\/\d+)?$/.exec(line.port)?.[1];
  const isEmpty = line.formatList.length === 0 && Number(port) !== 0;
  if (!/^[A-Za-z0-9.+-]+$/.test(line.kind) || Number(port ?? 65_536) > 65_535 || isEmpty)
    throw refuse('A media line cannot be read.');
  return {
    kind: line.kind,
    port: Number(port),
    protocol: line.protocol.toUpperCase(),
    formatList: line.formatList,
    formats: line.formats,
    address: addressOf(line.values('c')[0] ?? session.values('c')[0] ?? ''),
    direction: line.firstOf(DIRECTIONS) ?? session.firstOf(DIRECTIONS) ?? 'sendrecv',
    rtcp: rtcpOf(line),
    rtcpMux: line.has('rtcp-mux'),
    cryptos: line.attributes('crypto').flatMap(readCrypto),
    ptime: numberIn(line.attributes('ptime')[0], 10, 200),
    bitrate: bitrateOf(line) ?? bitrateOf(session),
  };
}

/** A whole number within the limits, else undefined. */
function numberIn(text: string | undefined, least: number, most: number): number | undefined {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function addressOf(connection: string): string {
  return /^IN +IP[46] +([^\s/]+)/i.exec(connection)?.[1] ?? '';
}

function rtcpOf(line: SdpMedia): Destination | undefined {
  const [port, ...connection] = (line.attributes('rtcp')[0] ?? '').split(/ +/);
  const number = numberIn(port, 1, 65_535);
  return number === undefined ? undefined : { port: number, address: addressOf(connection.join(' ')) };
}

/** b=TIAS in bit/s (RFC 3890), else b=AS in kbit/s. */
function bitrateOf(section: SdpSection): number | undefined {
  const find = (name: string): number | undefined =>
    section
      .values('b')
      .filter((value) => value.startsWith(`${name}:`))
      .map((value) => numberIn(value.slice(name.length + 1), 1, 999_999_999))
      .find((value) => value !== undefined);
  const kilobits = find('AS');
  return find('TIAS') ?? (kilobits === undefined ? undefined : kilobits * 1000);
}

/**
 * Skips lines with a suite that we do not support, with several keys, or with session parameters that change the
 * processing.
 */
function readCrypto(value: string): Crypto[] {
  const match = /^(\d{1,9}) +(\S+) +inline:([A-Za-z0-9+/]+=*)(?:\|[^\s;]*)?$/.exec(value);
  if (match === null || !Object.hasOwn(CRYPTO_SUITES, match[2]!)) return [];
  const master = Buffer.from(match[3]!, 'base64');
  // A master key identifier (MKI) would be in every packet.
  if (master.length !== MASTER_LENGTH || /\|\d+:\d+/.test(value)) return [];
  return [{ tag: Number(match[1]), suite: match[2] as CryptoSuite, master }];
}
