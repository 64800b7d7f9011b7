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

/** Removes emulation prevention: 00 00 03 stands for 00 00 (section 7.4.1). */
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

/** The id of a parameter set: SPS and PPS of one id replace each other. -1 when the NAL unit is broken. */
export function parameterSetId(nal: Buffer, isSps: boolean): number {
  try {
    const bits = new BitReader(rawBytes(nal.subarray(0, 16)));
    bits.bits(isSps ? 32 : 8);
    return bits.unsigned();
  } catch {
    return -1;
  }
}

/** The picture size that a sequence parameter set describes, cropping applied; undefined when it is broken. */
export function parseSpsSize(nal: Buffer): PictureSize | undefined {
  try {
    return readSize(new BitReader(rawBytes(nal)));
  } catch {
    return undefined;
  }
}

function readSize(bits: BitReader): PictureSize | undefined {
  bits.bits(8);
  const profile = bits.bits(8);
  bits.bits(16);
  bits.unsigned();
  let chroma = 1;
  if (HIGH_PROFILES.has(profile)) {
    const format = bits.unsigned();
    // Separate planes are cropped like monochrome.
    chroma = format === 3 && bits.flag() ? 0 : format;
    bits.unsigned();
    bits.unsigned();
    bits.bits(1);
    if (bits.flag()) skipScalingLists(bits, format === 3 ? 12 : 8);
  }
  bits.unsigned();
  skipPictureOrder(bits);
  bits.unsigned();
  bits.bits(1);
  const widthInBlocks = bits.unsigned() + 1;
  const heightInUnits = bits.unsigned() + 1;
  const framesOnly = bits.flag();
  if (!framesOnly) bits.bits(1);
  bits.bits(1);
  const fieldFactor = framesOnly ? 1 : 2;
  let width = widthInBlocks * 16;
  let height = heightInUnits * 16 * fieldFactor;
  if (bits.flag()) {
    const [left, right, top, bottom] = [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()];
    width -= (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1);
    height -= (top + bottom) * (chroma === 1 ? 2 : 1) * fieldFactor;
  }
  const isSane = width > 0 && height > 0 && width <= SIZE_LIMIT && height <= SIZE_LIMIT;
  return isSane ? { width, height } : undefined;
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
