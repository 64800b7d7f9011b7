import { aggregate, splitPayload } from '../../../webrtc/rtp/h264.ts';
import type { Clip } from '../../simulatedCamera/clip.ts';
import type { ClipName, Departures } from './fieldCase.ts';

/** One picture of a field clip: its slices, and the parameter sets that they need. */
export interface FieldPicture {
  readonly slices: readonly Buffer[];
  readonly isKey: boolean;
  readonly sps: Buffer;
  readonly pps: Buffer;
}
/** Pictures that are repeated for ever, 25 a second; the first one is a key frame. */
export type FieldClip = readonly FieldPicture[];
export type FieldClips = Readonly<Record<ClipName, FieldClip>>;

export const PICTURE_MS = 40;
const PICTURE_TICKS = PICTURE_MS * 90;
const VIDEO_TYPE = 96;
const SOUND_TYPE = 8;
/** As fieldcam's; most cameras fill an Ethernet frame. */
const PAYLOAD_BYTES = 1_380;
/** The picture before which the clock of the timestamps is set, or the network stalls. */
export const JUMP_AT = 75;
const FIRST_TIMESTAMP = 900_000;

const START_CODE_4 = Buffer.from([0, 0, 0, 1]);
const START_CODE_3 = START_CODE_4.subarray(1);
const DELIMITER = Buffer.from([0x09, 0xf0]);
/** A recovery point (ITU-T H.264 D.1.8). */
const SEI = Buffer.from([0x06, 0x06, 0x01, 0xc4, 0x80]);
/** ONVIF's extension of the RTP header: 0xABAC, three words. */
const EXTENSION = Buffer.from('abac0003e8f1c0d80000000080000000', 'hex');
const PADDING = Buffer.from([0, 0, 0, 4]);

/** A packet before it gets its number. */
interface Part {
  readonly payload: Buffer;
  readonly timestamp: number;
  readonly marker: boolean;
}

/** The sending end of a field camera: pictures and sound as RTP packets, in the form that its departures say. */
export class FieldVideo {
  readonly #clip: FieldClip;
  readonly #departs: Departures;
  #sequence = 65_500;
  #soundSequence = 1;
  #timestamp: number;
  #next = 0;

  constructor(clip: FieldClip, departs: Departures) {
    this.#clip = clip;
    this.#departs = departs;
    this.#timestamp = departs.firstTimestamp ?? FIRST_TIMESTAMP;
  }

  /** Pictures so far. */
  get sent(): number {
    return this.#next;
  }

  /** The RTP packets of the next picture. */
  nextPicture(): Buffer[] {
    const number = this.#next++;
    const { jumpSeconds = 0, minorityType, payloadType = VIDEO_TYPE } = this.#departs;
    if (number === JUMP_AT) this.#timestamp += jumpSeconds * 90_000;
    const isRepeated = this.#departs.repeatsTimestamps && number % 20 === 19;
    const timestamp = this.#timestamp - (isRepeated ? PICTURE_TICKS : 0);
    this.#timestamp += PICTURE_TICKS;
    const parts = this.#partsOf(this.#clip[number % this.#clip.length]!, number, timestamp);
    const packets = parts.map((part) => this.#packet(part, payloadType, this.#sequence++));
    if (minorityType === undefined || number % 10 !== 5) return packets;
    // The number of the packet that comes next.
    const minor = { payload: Buffer.from([1, 2, 3]), timestamp, marker: false };
    return [...packets, this.#packet(minor, minorityType, this.#sequence)];
  }

  /** 20 ms of a tone in PCMA. */
  nextSound(): Buffer {
    const part = { payload: Buffer.alloc(160, 0xd5), timestamp: this.#timestamp / 11, marker: false };
    return this.#packet(part, SOUND_TYPE, this.#soundSequence++);
  }

  #partsOf(picture: FieldPicture, number: number, timestamp: number): Part[] {
    const { marker, setsWithOldTimestamp } = this.#departs;
    const nals = this.#nalsOf(picture, number);
    const parts = nals.flatMap((nal, index): Part[] => {
      const isLast = index === nals.length - 1;
      const type = nal[0]! & 0x1f;
      const isSet = type === 7 || type === 8;
      const isOld = setsWithOldTimestamp === true && type === 7 && number > 0;
      const isMarked =
        marker === 'everyNal' ||
        isOld ||
        (marker === 'sets' && isSet) ||
        (marker === 'slices' && (type === 1 || type === 5)) ||
        (marker !== 'never' && isLast);
      const payloads = this.#payloadsOf(nal);
      return payloads.map((payload, at) => ({
        payload,
        timestamp: isOld ? timestamp - PICTURE_TICKS : timestamp,
        marker: marker === 'everyPacket' || (isMarked && at === payloads.length - 1),
      }));
    });
    return this.#departs.packing?.startsWith('aggregated') ? this.#aggregated(parts) : parts;
  }

  #nalsOf({ slices, isKey, sps, pps }: FieldPicture, number: number): Buffer[] {
    const { sets = 'key', extras = [], annexB } = this.#departs;
    const hasSets = sets === 'all' || (isKey && (sets === 'key' || (sets === 'first' && number === 0)));
    const nals = [
      ...(extras.includes('delimiter') ? [DELIMITER] : []),
      ...(hasSets ? [sps, pps] : []),
      ...(extras.includes('sei') ? [SEI] : []),
      ...slices,
    ];
    if (annexB === 'gluedPictures' || (isKey && annexB?.startsWith('glued'))) {
      const code = annexB === 'gluedPacket' ? START_CODE_3 : START_CODE_4;
      return [Buffer.concat(nals.flatMap((nal, at) => (at === 0 ? [nal] : [code, nal])))];
    }
    return annexB === 'prefixed' ? nals.map((nal) => Buffer.concat([START_CODE_4, nal])) : nals;
  }

  #payloadsOf(nal: Buffer): readonly Buffer[] {
    const { annexB, packing, payloadBytes = PAYLOAD_BYTES } = this.#departs;
    // A NAL unit that begins with a start code has no header to fragment by.
    if (annexB === 'prefixed' || annexB === 'gluedPacket') return [nal];
    if (packing === 'fragments' && nal.length <= payloadBytes) {
      const start = Buffer.from([(nal[0]! & 0xe0) | 28, (nal[0]! & 0x1f) | 0xc0]);
      return [Buffer.concat([start, nal.subarray(1)])];
    }
    return splitPayload(nal, payloadBytes);
  }

  /** Packs neighbours that are whole NAL units together. */
  #aggregated(parts: readonly Part[]): Part[] {
    const isWanted = ({ payload }: Part): boolean => {
      const type = payload[0]! & 0x1f;
      return this.#departs.packing === 'aggregated' ? type < 24 : type === 7 || type === 8;
    };
    const together: Part[][] = [];
    for (const part of parts) {
      const group = together.at(-1);
      if (group !== undefined && isWanted(part) && isWanted(group[0]!)) group.push(part);
      else together.push([part]);
    }
    return together.map((group) =>
      group.length === 1
        ? group[0]!
        : { ...group.at(-1)!, payload: aggregate(group.map(({ payload }) => payload)) },
    );
  }

  #packet({ payload, timestamp, marker }: Part, type: number, sequence: number): Buffer {
    const { rtpHeader } = this.#departs;
    const head = Buffer.alloc(12);
    head[0] = 0x80 | (rtpHeader === 'extension' ? 0x10 : 0) | (rtpHeader === 'padding' ? 0x20 : 0);
    head[1] = (marker ? 0x80 : 0) | type;
    head.writeUInt16BE(sequence & 0xffff, 2);
    head.writeUInt32BE(Math.trunc(timestamp) >>> 0, 4);
    head.writeUInt32BE(0x1234, 8);
    if (rtpHeader === 'extension') return Buffer.concat([head, EXTENSION, payload]);
    return Buffer.concat(rtpHeader === 'padding' ? [head, payload, PADDING] : [head, payload]);
  }
}

/** The pictures of a clip, each with the parameter sets of all. */
export function picturesOf({ sps, pps, frames }: Clip): FieldClip {
  return frames.map(({ nals, isKey }) => ({ slices: nals, isKey, sps, pps }));
}

/** The clips that a bundled clip can be turned into; only the first is one that a decoder shows. */
export function clipsOf(clip: Clip, otherSize: { readonly sps: Buffer; readonly pps: Buffer }): FieldClips {
  const plain = picturesOf(clip);
  let seconds = 0;
  return {
    plain,
    sliced: plain.map((picture) => ({ ...picture, slices: picture.slices.flatMap(halves) })),
    twoSizes: plain.map((picture) => {
      if (picture.isKey) seconds++;
      return { ...picture, ...(seconds % 2 === 0 && otherSize) };
    }),
    withoutIdr: plain.map((picture) => ({
      ...picture,
      isKey: false,
      slices: picture.slices.map((slice) =>
        picture.isKey ? withByte(slice, 0, (slice[0]! & 0xe0) | 1) : slice,
      ),
    })),
    // slice_type 5 (P) with its last bit set is 6 (B).
    bFrames: plain.map((picture, at) => ({
      ...picture,
      slices:
        at % 2 === 1 && !picture.isKey
          ? picture.slices.map((it) => withByte(it, 1, it[1]! | 4))
          : picture.slices,
    })),
  };
}

/** Two slices of one: the second begins in the middle of the picture (first_mb_in_slice 1). */
function halves(slice: Buffer): Buffer[] {
  let middle = slice.length >> 1;
  while (slice[middle - 1] === 0) middle++;
  return [
    slice.subarray(0, middle),
    Buffer.concat([slice.subarray(0, 1), Buffer.from([0x59]), slice.subarray(middle)]),
  ];
}

function withByte(slice: Buffer, at: number, byte: number): Buffer {
  const copy = Buffer.from(slice);
  copy[at] = byte;
  return copy;
}
