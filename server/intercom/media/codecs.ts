import { decodePcmu, encodePcmu } from '../../webrtc/rtp/g711.ts';
import type { Format } from './sdp/description.ts';

/** A sound codec of calls. */
export interface AudioCodec {
  /** Its name in a=rtpmap. */
  readonly rtpmap: string;
  /** Ticks per second of its RTP timestamp. */
  readonly clockRate: number;
  /** Payload type in our own offers, and towards the intercom page. */
  readonly payloadType: number;
  /** What the intercom page gets in its place; undefined: packets are forwarded unchanged. */
  readonly conversion?: Conversion;
  /** Silence in place of a payload of `length` bytes. */
  silence(length: number): Buffer;
}

/** Between a codec that no browser has and one that every browser has. */
interface Conversion {
  /** The codec of the intercom page. */
  readonly codec: AudioCodec;
  /** Ticks of the remote party's timestamp for one of the intercom page's. */
  readonly factor: number;
  toPage(payload: Buffer): Buffer;
  fromPage(payload: Buffer): Buffer;
}

/** Milliseconds of sound in the packets that we generate. */
export const PACKET_MS = 20;

/** A codec of 64 kbit/s whose silence is one byte, repeated. */
function bytewise(rtpmap: string, payloadType: number, quiet: number): AudioCodec {
  return { rtpmap, clockRate: 8000, payloadType, silence: (length) => Buffer.alloc(length, quiet) };
}

/** 20 ms of silence: CELT only, full band, mono (RFC 6716 section 3.1). */
const OPUS_SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** Codecs in the order of our offers, best sound first. G.722's RTP clock is 8 kHz by an old mistake (RFC 3551). */
const OFFERED: readonly AudioCodec[] = [
  { rtpmap: 'opus/48000/2', clockRate: 48_000, payloadType: 111, silence: () => OPUS_SILENCE },
  bytewise('G722/8000', 9, 0xff),
  bytewise('PCMA/8000', 8, 0xd5),
  bytewise('PCMU/8000', 0, 0xff),
];

/** One stream for many panels: the codec that every phone has. */
export const PAGING_CODEC: AudioCodec = OFFERED.at(-1)!;

/** Samples of 16 bits (RFC 3551 section 4.5.11), the usual sound of some door stations. Never in our offers. */
const linear = (clockRate: number): AudioCodec => ({
  rtpmap: `L16/${clockRate}`,
  clockRate,
  payloadType: PAGING_CODEC.payloadType,
  silence: (length) => Buffer.alloc(length),
  conversion: {
    codec: PAGING_CODEC,
    factor: clockRate / 8000,
    toPage: (payload) => toPcmu(payload, clockRate / 8000),
    fromPage: (payload) => fromPcmu(payload, clockRate / 8000),
  },
});

/** All codecs that a remote party may name. */
export const AUDIO_CODECS: readonly AudioCodec[] = [
  ...OFFERED,
  ...[8000, 16_000, 32_000, 48_000].map(linear),
];

/** Whether we name it in our own offers: what has to be converted is the worse choice. */
export const isOffered = ({ conversion }: AudioCodec): boolean => conversion === undefined;

/** What the intercom page has in place of the remote party's codec. */
export const pageCodec = (codec: AudioCodec): AudioCodec => codec.conversion?.codec ?? codec;

/** A packet of silence of PACKET_MS. */
export function silentPacket(codec: AudioCodec): Buffer {
  const bytesPerTick = codec.conversion === undefined ? 1 : 2;
  return codec.silence((codec.clockRate / 1000) * PACKET_MS * bytesPerTick);
}

/** Other names of the same codecs, in upper case and without punctuation. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['G711A', 'PCMA'],
  ['ALAW', 'PCMA'],
  ['G711U', 'PCMU'],
  ['ULAW', 'PCMU'],
  ['PCM', 'L16'],
]);

/**
 * The codec of a format, in the spellings that devices use: `G722/16000` is its sample rate, `opus/48000` leaves out the
 * channels, `PCM/16000` is L16, and some name no clock rate.
 */
export function audioCodecOf({ codec, clockRate, channels }: Format): AudioCodec | undefined {
  const plain = codec.replaceAll(/[^A-Z0-9]/g, '');
  const name = ALIASES.get(plain) ?? plain;
  const rate = name === 'G722' && clockRate === 16_000 ? 8000 : clockRate;
  if (channels !== 1 && !(name === 'OPUS' && channels === 2)) return undefined;
  return AUDIO_CODECS.find(({ rtpmap, clockRate: known }) => {
    const isNamed = rtpmap.slice(0, rtpmap.indexOf('/')).toUpperCase() === name;
    return isNamed && (known === rate || (rate === 0 && name !== 'L16'));
  });
}

/** @param factor samples for each one of 8 kHz; their mean is a simple low-pass filter. */
function toPcmu(payload: Buffer, factor: number): Buffer {
  const out = Buffer.allocUnsafe(Math.floor(payload.length / (2 * factor)));
  for (let at = 0; at < out.length; at++) {
    let sum = 0;
    for (let i = 0; i < factor; i++) sum += payload.readInt16BE(2 * (at * factor + i));
    out[at] = encodePcmu(Math.round(sum / factor));
  }
  return out;
}

/** The samples between two of the page lie on a straight line. */
function fromPcmu(payload: Buffer, factor: number): Buffer {
  const out = Buffer.allocUnsafe(2 * factor * payload.length);
  for (let at = 0; at < payload.length; at++) {
    const [from, to] = [decodePcmu(payload[at]!), decodePcmu(payload[Math.min(at + 1, payload.length - 1)]!)];
    for (let i = 0; i < factor; i++)
      out.writeInt16BE(Math.round(from + ((to - from) * i) / factor), 2 * (at * factor + i));
  }
  return out;
}
