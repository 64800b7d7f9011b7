import type { Format } from './sdp/description.ts';

/** A sound codec that is forwarded unchanged between remote party and intercom page. */
export interface AudioCodec {
  /** Its name in a=rtpmap. */
  readonly rtpmap: string;
  /** Ticks per second of its RTP timestamp. */
  readonly clockRate: number;
  /** Payload type in our own offers, and towards the intercom page. */
  readonly payloadType: number;
  /** Silence in place of a payload of `length` bytes. */
  silence(length: number): Buffer;
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
export const AUDIO_CODECS: readonly AudioCodec[] = [
  { rtpmap: 'opus/48000/2', clockRate: 48_000, payloadType: 111, silence: () => OPUS_SILENCE },
  bytewise('G722/8000', 9, 0xff),
  bytewise('PCMA/8000', 8, 0xd5),
  bytewise('PCMU/8000', 0, 0xff),
];

/** One stream for many panels: the codec that every phone has. */
export const PAGING_CODEC: AudioCodec = AUDIO_CODECS.at(-1)!;

/** Bytes of silence in a packet of PACKET_MS; absent for codecs with frames of a fixed length. */
export function silentPacket(codec: AudioCodec): Buffer {
  return codec.silence((codec.clockRate / 1000) * PACKET_MS);
}

/** The codec of a format, if we forward it. */
export function audioCodecOf({ codec, clockRate, channels }: Format): AudioCodec | undefined {
  const rtpmap = `${codec}/${clockRate}${channels === 1 ? '' : `/${channels}`}`;
  return AUDIO_CODECS.find((known) => known.rtpmap.toUpperCase() === rtpmap);
}
