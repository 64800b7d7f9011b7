/** Types of NAL units and of RTP payload structures (ITU-T H.264 table 7-1, RFC 6184 section 5.4). */
const NAL_SLICE = 1;
const NAL_IDR = 5;
const NAL_SPS = 7;
const NAL_PPS = 8;
const LAST_SINGLE_NAL = 23;
const STAP_A = 24;
const FU_A = 28;
const FU_START = 0x80;
const FU_END = 0x40;
/** nal_ref_idc of a STAP-A that we build: as high as a parameter set's. */
const STAP_A_HEADER = 0x60 | STAP_A;

/** Largest payload that we send to Chromium: bigger RTP packets overrun its receive buffers and are dropped. */
export const PAYLOAD_LIMIT = 1200;

const typeOf = (nal: Buffer): number => nal[0]! & 0x1f;

/** The NAL units of a STAP-A; ends at the first that is broken. */
function* aggregated(payload: Buffer): Generator<Buffer> {
  let at = 1;
  while (at + 2 < payload.length) {
    const end = at + 2 + payload.readUInt16BE(at);
    if (end > payload.length || end === at + 2) return;
    yield payload.subarray(at + 2, end);
    at = end;
  }
}

const NONE: readonly Buffer[] = [];

/** Whole NAL units in a payload: itself, or those it aggregates; fragments have none. */
export function wholeNals(payload: Buffer): Iterable<Buffer> {
  const type = typeOf(payload);
  if (type === STAP_A) return aggregated(payload);
  return type >= 1 && type <= LAST_SINGLE_NAL ? [payload] : NONE;
}

/** Whether a payload starts a picture from which decoding can start: the first slice of an IDR picture. */
export function startsIdrPicture(payload: Buffer): boolean {
  if (typeOf(payload) === FU_A) {
    // first_mb_in_slice is 0 when the slice's first bit is 1 (ue(v)).
    return (
      payload.length > 2 &&
      (payload[1]! & FU_START) !== 0 &&
      (payload[1]! & 0x1f) === NAL_IDR &&
      (payload[2]! & 0x80) !== 0
    );
  }
  for (const nal of wholeNals(payload)) {
    if (typeOf(nal) === NAL_IDR) return nal.length > 1 && (nal[1]! & 0x80) !== 0;
  }
  return false;
}

/** Whether a payload begins a slice that refers to later pictures (slice_type B, ITU-T H.264 table 7-6). */
export function startsBSlice(payload: Buffer): boolean {
  if (typeOf(payload) === FU_A) {
    const isStart = payload.length > 2 && (payload[1]! & FU_START) !== 0;
    return isStart && (payload[1]! & 0x1f) === NAL_SLICE && isBSlice(payload.subarray(2));
  }
  for (const nal of wholeNals(payload)) if (typeOf(nal) === NAL_SLICE) return isBSlice(nal.subarray(1));
  return false;
}

/** @param header of a slice: first_mb_in_slice and slice_type, both ue(v). */
function isBSlice(header: Buffer): boolean {
  // The first bytes of a first slice cannot contain emulation prevention; other slices are recognised by the first one.
  let bits = '';
  for (const byte of header.subarray(0, 8)) bits += byte.toString(2).padStart(8, '0');
  const first = bits.indexOf('1');
  const rest = first < 0 ? '' : bits.slice(2 * first + 1);
  const zeros = rest.indexOf('1');
  if (zeros < 0) return false;
  const type = Number.parseInt(rest.slice(zeros, 2 * zeros + 1), 2) - 1;
  return type === 1 || type === 6;
}

export const isSps = (nal: Buffer): boolean => typeOf(nal) === NAL_SPS;
export const isPps = (nal: Buffer): boolean => typeOf(nal) === NAL_PPS;

/** One payload that carries several NAL units (RFC 6184 section 5.7.1). */
export function aggregate(nals: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [Buffer.from([STAP_A_HEADER])];
  for (const nal of nals) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(nal.length);
    parts.push(length, nal);
  }
  return Buffer.concat(parts);
}

/**
 * Splits a payload of more than `limit` bytes: NAL units and fragments into FU-A (RFC 6184 section 5.8), a STAP-A into
 * its units. The marker of the packet belongs to the last part.
 */
export function splitPayload(payload: Buffer, limit = PAYLOAD_LIMIT): readonly Buffer[] {
  if (payload.length <= limit) return [payload];
  const type = typeOf(payload);
  if (type === FU_A) {
    const flags = payload[1]! & (FU_START | FU_END);
    return fragment(payload[0]!, payload[1]! & 0x1f, payload.subarray(2), flags, limit);
  }
  if (type === STAP_A) return [...aggregated(payload)].flatMap((nal) => splitPayload(nal, limit));
  if (type >= 1 && type <= LAST_SINGLE_NAL) {
    return fragment(payload[0]!, type, payload.subarray(1), FU_START | FU_END, limit);
  }
  return [];
}

export const isFragment = (payload: Buffer): boolean => typeOf(payload) === FU_A && payload.length > 2;

/** Whether a fragment is the last of its NAL unit. */
export const isLastFragment = (fragment: Buffer): boolean => (fragment[1]! & FU_END) !== 0;

/** Whether `next` may continue the NAL unit of the fragment `before`. */
export function fragmentsFit(before: Buffer, next: Buffer): boolean {
  return isFragment(next) && (next[1]! & FU_START) === 0 && (next[1]! & 0x1f) === (before[1]! & 0x1f);
}

/** Joins two adjacent fragments into one. */
export function joinFragments(before: Buffer, next: Buffer): Buffer {
  const joined = Buffer.concat([before, next.subarray(2)]);
  joined[1]! |= next[1]! & FU_END;
  return joined;
}

/** @param flags which ends of the NAL unit `body` holds. */
function fragment(indicator: number, type: number, body: Buffer, flags: number, limit: number): Buffer[] {
  const parts: Buffer[] = [];
  const size = limit - 2;
  for (let at = 0; at < body.length; at += size) {
    const end = Math.min(at + size, body.length);
    const part = Buffer.allocUnsafe(2 + end - at);
    part[0] = (indicator & 0xe0) | FU_A;
    part[1] = type | (at === 0 ? flags & FU_START : 0) | (end === body.length ? flags & FU_END : 0);
    body.copy(part, 2, at, end);
    parts.push(part);
  }
  return parts;
}
