import type { Format } from './sdp/description.ts';

/** A sound codec that is passed on between far end and page as it is. */
export interface AudioCodec {
  /** As it stands in a=rtpmap. */
  readonly rtpmap: string;
  /** Ticks per second of its RTP timestamp. */
  readonly clockRate: number;
  /** Payload type in our own offers, and towards the page. */
  readonly payloadType: number;
  /** Quiet sound in place of a payload of `length` bytes. */
  silence(length: number): Buffer;
}

/** Milliseconds of sound in the packets that we make ourselves. */
export const PACKET_MS = 20;

/** A codec of 64 kbit/s whose silence is one byte again and again. */
function bytewise(rtpmap: string, payloadType: number, quiet: number): AudioCodec {
  return { rtpmap, clockRate: 8000, payloadType, silence: (length) => Buffer.alloc(length, quiet) };
}

/** 20 ms without sound: CELT only, full band, mono (RFC 6716 section 3.1). */
const OPUS_SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** Codecs in the order of our offers: the better sound first. G.722's RTP clock is 8 kHz by mistake (RFC 3551). */
export const AUDIO_CODECS: readonly AudioCodec[] = [
  { rtpmap: 'opus/48000/2', clockRate: 48_000, payloadType: 111, silence: () => OPUS_SILENCE },
  bytewise('G722/8000', 9, 0xff),
  bytewise('PCMA/8000', 8, 0xd5),
  bytewise('PCMU/8000', 0, 0xff),
];

/** One stream for many panels: the codec that every telephone has. */
export const PAGING_CODEC: AudioCodec = AUDIO_CODECS.at(-1)!;

/** Bytes of silence in a packet of PACKET_MS; codecs with frames of a fixed length leave it out. */
export function silentPacket(codec: AudioCodec): Buffer {
  return codec.silence((codec.clockRate / 1000) * PACKET_MS);
}

/** The codec of a format, if we pass it on. */
export function audioCodecOf({ codec, clockRate, channels }: Format): AudioCodec | undefined {
  const rtpmap = `${codec}/${clockRate}${channels === 1 ? '' : `/${channels}`}`;
  return AUDIO_CODECS.find((known) => known.rtpmap.toUpperCase() === rtpmap);
}
