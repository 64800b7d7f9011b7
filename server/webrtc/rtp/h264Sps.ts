import { isSps } from './h264.ts';

/** Picture size in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Profiles whose SPS carries the chroma format and scaling lists (ITU-T H.264 section 7.3.2.1.1). */
const HIGH_PROFILES = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
/** Sizes beyond this are a broken SPS. */
const SIZE_LIMIT = 16_384;

/** Reads bits from a NAL unit without its emulation prevention bytes; past the end it throws RangeError. */
class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('end of NAL unit');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
      this.#at++;
    }
    return value;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** ue(v), unsigned Exp-Golomb. */
  unsigned(): number {
    let zeros = 0;
    while (!this.flag()) if (++zeros > 31) throw new RangeError('broken Exp-Golomb code');
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** se(v), signed Exp-Golomb. */
  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}

/** Removes emulation prevention: 00 00 03 means 00 00 (section 7.4.1). */
function rawBytes(nal: Buffer): Uint8Array {
  const raw = new Uint8Array(nal.length);
  let length = 0;
  let zeros = 0;
  for (const byte of nal) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    raw[length++] = byte;
  }
  return raw.subarray(0, length);
}

function skipScalingLists(bits: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    if (!bits.flag()) continue;
    let last = 8;
    for (let i = 0; i < (list < 6 ? 16 : 64); i++) {
      const next = (last + bits.signed() + 256) % 256;
      // The rest of the list repeats the last value.
      if (next === 0) break;
      last = next;
    }
  }
}

/** What of a sequence parameter set is needed to tell pictures apart. */
interface SpsFacts extends PictureSize {
  readonly id: number;
  /** Whether a picture may be one of two fields. */
  readonly hasFields: boolean;
  /** Bits of frame_num in slice headers. */
  readonly frameNumBits: number;
  readonly hasSeparatePlanes: boolean;
}

/** Reads a sequence parameter set; undefined when it is broken. */
export function parseSps(nal: Buffer): SpsFacts | undefined {
  return attempt(() => readSps(new BitReader(rawBytes(nal))));
}

/** The picture size that a sequence parameter set describes, cropping applied; undefined when it is broken. */
export function parseSpsSize(nal: Buffer): PictureSize | undefined {
  const facts = parseSps(nal);
  return facts && { width: facts.width, height: facts.height };
}

/** The ids of a picture parameter set and of its SPS; undefined when it is broken. */
export function parsePps(nal: Buffer): { readonly id: number; readonly spsId: number } | undefined {
  return attempt(() => {
    const bits = new BitReader(rawBytes(nal));
    bits.bits(8);
    const [id, spsId] = [bits.unsigned(), bits.unsigned()];
    // entropy_coding_mode_flag, bottom_field_pic_order_in_frame_present_flag; then num_slice_groups_minus1.
    bits.bits(2);
    return id < 256 && spsId < 32 && bits.unsigned() < 8 ? { id, spsId } : undefined;
  });
}

/** The start of a slice header (ITU-T H.264 section 7.3.3). */
export interface SliceStart {
  /** first_mb_in_slice; 0 in the first slice of a picture. */
  readonly first: number;
  /** slice_type without its repetition from 5: P, B, I, SP, SI. */
  readonly type: number;
  readonly ppsId: number;
  /** What of a picture it belongs to. */
  readonly part: 'frame' | 'top' | 'bottom';
}

/**
 * @param bytes of a slice, without its NAL header
 * @param spsOf what a PPS refers to
 * @returns undefined when the bytes are broken or too few
 */
export function parseSliceStart(
  bytes: Buffer,
  spsOf: (ppsId: number) => SpsFacts | undefined,
): SliceStart | undefined {
  return attempt(() => {
    const bits = new BitReader(rawBytes(bytes.subarray(0, 24)));
    const [first, type, ppsId] = [bits.unsigned(), bits.unsigned() % 5, bits.unsigned()];
    const sps = spsOf(ppsId);
    if (sps?.hasFields !== true) return { first, type, ppsId, part: 'frame' };
    if (sps.hasSeparatePlanes) bits.bits(2);
    bits.bits(sps.frameNumBits);
    const isField = bits.flag();
    return { first, type, ppsId, part: !isField ? 'frame' : bits.flag() ? 'bottom' : 'top' };
  });
}

/** @returns what `read` returns; undefined past the end of the bytes. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readSps(bits: BitReader): SpsFacts | undefined {
  bits.bits(8);
  const profile = bits.bits(8);
  bits.bits(16);
  const id = bits.unsigned();
  let chroma = 1;
  let hasSeparatePlanes = false;
  if (HIGH_PROFILES.has(profile)) {
    const format = bits.unsigned();
    hasSeparatePlanes = format === 3 && bits.flag();
    // Separate planes are cropped like monochrome.
    chroma = hasSeparatePlanes ? 0 : format;
    bits.unsigned();
    bits.unsigned();
    bits.bits(1);
    if (bits.flag()) skipScalingLists(bits, format === 3 ? 12 : 8);
  }
  const frameNumBits = bits.unsigned() + 4;
  skipPictureOrder(bits);
  bits.unsigned();
  bits.bits(1);
  const widthInBlocks = bits.unsigned() + 1;
  const heightInUnits = bits.unsigned() + 1;
  const hasFields = !bits.flag();
  if (hasFields) bits.bits(1);
  bits.bits(1);
  const fieldFactor = hasFields ? 2 : 1;
  let width = widthInBlocks * 16;
  let height = heightInUnits * 16 * fieldFactor;
  if (bits.flag()) {
    const [left, right, top, bottom] = [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()];
    width -= (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1);
    height -= (top + bottom) * (chroma === 1 ? 2 : 1) * fieldFactor;
  }
  const isSane =
    width > 0 && height > 0 && width <= SIZE_LIMIT && height <= SIZE_LIMIT && id < 32 && frameNumBits <= 16;
  return isSane ? { id, width, height, hasFields, frameNumBits, hasSeparatePlanes } : undefined;
}

function skipPictureOrder(bits: BitReader): void {
  const type = bits.unsigned();
  if (type === 0) bits.unsigned();
  else if (type === 1) {
    bits.bits(1);
    bits.signed();
    bits.signed();
    const cycle = Math.min(bits.unsigned(), 255);
    for (let i = 0; i < cycle; i++) bits.signed();
  }
}

/** Most parameter sets of a kind remembered per camera; streams have one or two of each. */
const MAX_SETS = 16;
const MAX_SET_LENGTH = 1024;

interface Pps {
  readonly nal: Buffer;
  readonly spsId: number;
}

/** What became of a parameter set. */
type Learned = 'new' | 'known' | 'broken';

/** The parameter sets of a stream by their ids: the latest of each. Those that cannot be read are not taken. */
export class ParameterSets {
  readonly #sps = new Map<number, SpsFacts & { readonly nal: Buffer }>();
  readonly #pps = new Map<number, Pps>();
  #latest: SpsFacts | undefined;

  /** Picture size by the latest SPS. */
  get size(): PictureSize | undefined {
    return this.#latest && { width: this.#latest.width, height: this.#latest.height };
  }

  /** @param nal an SPS or PPS; it is copied */
  learn(nal: Buffer): Learned {
    if (nal.length > MAX_SET_LENGTH) return 'broken';
    return isSps(nal) ? this.#learnSps(nal) : this.#learnPps(nal);
  }

  /** What the slices of this PPS refer to; undefined while one of its sets is missing. */
  spsOf(ppsId: number): SpsFacts | undefined {
    const pps = this.#pps.get(ppsId);
    return pps && this.#sps.get(pps.spsId);
  }

  /** Whether there is a PPS together with its SPS. */
  get isComplete(): boolean {
    return [...this.#pps.values()].some(({ spsId }) => this.#sps.has(spsId));
  }

  /** All that a decoder can use; a PPS refers to its SPS, so the SPS come first. */
  inOrder(): Buffer[] {
    const usable = [...this.#pps.values()].filter(({ spsId }) => this.#sps.has(spsId));
    return [...this.#sps.values(), ...usable].map(({ nal }) => nal);
  }

  #learnSps(nal: Buffer): Learned {
    const facts = parseSps(nal);
    if (facts === undefined) return 'broken';
    const known = this.#sps.get(facts.id);
    if (known?.nal.equals(nal) === true) return 'known';
    if (known === undefined && this.#sps.size >= MAX_SETS) return 'broken';
    this.#sps.set(facts.id, { ...facts, nal: Buffer.from(nal) });
    this.#latest = facts;
    return 'new';
  }

  #learnPps(nal: Buffer): Learned {
    const ids = parsePps(nal);
    if (ids === undefined) return 'broken';
    const known = this.#pps.get(ids.id);
    if (known?.nal.equals(nal) === true) return 'known';
    if (known === undefined && this.#pps.size >= MAX_SETS) return 'broken';
    this.#pps.set(ids.id, { nal: Buffer.from(nal), spsId: ids.spsId });
    return 'new';
  }
}
