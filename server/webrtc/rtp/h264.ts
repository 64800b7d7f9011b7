/** Types of NAL units and of RTP payload structures (ITU-T H.264 table 7-1, RFC 6184 section 5.4). */
export const NAL_SLICE = 1;
export const NAL_IDR = 5;
export const NAL_SEI = 6;
const NAL_SPS = 7;
const NAL_PPS = 8;
export const NAL_DELIMITER = 9;
const LAST_SINGLE_NAL = 23;
export const STAP_A = 24;
export const FU_A = 28;
export const FU_START = 0x80;
export const FU_END = 0x40;
/** nal_ref_idc of a STAP-A that we build: as high as a parameter set's. */
const STAP_A_HEADER = 0x60 | STAP_A;

/** Largest payload that we send to Chromium: bigger RTP packets overrun its receive buffers and are dropped. */
export const PAYLOAD_LIMIT = 1200;

const typeOf = (nal: Buffer): number => nal[0]! & 0x1f;

/** The NAL units of a STAP-A; ends at the first that is broken. */
export function* aggregated(payload: Buffer): Generator<Buffer> {
  let at = 1;
  while (at + 2 < payload.length) {
    const end = at + 2 + payload.readUInt16BE(at);
    if (end > payload.length || end === at + 2) return;
    yield payload.subarray(at + 2, end);
    at = end;
  }
}

/** A NAL unit without the zero bytes behind it (trailing_zero_8bits, ITU-T H.264 annex B). */
export function stripZeros(nal: Buffer): Buffer {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end--;
  return nal.subarray(0, end);
}

/** Start codes have three or four bytes; the fourth is a zero before them (ITU-T H.264 annex B). */
export const START_CODE = Buffer.from([0, 0, 1]);

/** The NAL units between start codes, without the zeros behind them; a NAL unit without any is all there is. */
export function splitByteStream(bytes: Buffer): Buffer[] {
  const nals: Buffer[] = [];
  let at = 0;
  for (let code = 0; code >= 0; at = code + START_CODE.length) {
    code = bytes.indexOf(START_CODE, at);
    const nal = stripZeros(bytes.subarray(at, code < 0 ? bytes.length : code));
    if (nal.length > 0) nals.push(nal);
  }
  return nals;
}

/** Whole NAL units in a payload: itself, or those it aggregates; fragments have none. */
export function wholeNals(payload: Buffer): Iterable<Buffer> {
  const type = typeOf(payload);
  if (type === STAP_A) return aggregated(payload);
  return type >= 1 && type < STAP_A ? [payload] : [];
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

/** NAL units in payloads of at most PAYLOAD_LIMIT bytes: together where they fit, a large one in fragments. */
export function packed(nals: readonly Buffer[]): readonly Buffer[] {
  const groups: Buffer[][] = [];
  let bytes = 0;
  for (const nal of nals) {
    bytes += 2 + nal.length;
    const group = groups.at(-1);
    if (group !== undefined && bytes <= PAYLOAD_LIMIT) group.push(nal);
    else {
      groups.push([nal]);
      bytes = 3 + nal.length;
    }
  }
  return groups.flatMap((group) => splitPayload(group.length === 1 ? group[0]! : aggregate(group)));
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

const isFragment = (payload: Buffer): boolean => typeOf(payload) === FU_A && payload.length > 2;

/** Joins two adjacent fragments into one. */
function joinFragments(before: Buffer, next: Buffer): Buffer {
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

/**
 * Splits a camera's large payloads. Fragments of 1,400 bytes, which most cameras send, are not cut into 1,200 and 200
 * each: the rest of one waits for the next, so that packets stay few and equally long.
 */
export class Refragmenter {
  readonly #send: (payload: Buffer) => void;
  #rest: Buffer | undefined;

  /** @param send takes payloads of at most PAYLOAD_LIMIT bytes */
  constructor(send: (payload: Buffer) => void) {
    this.#send = send;
  }

  /** Takes a NAL unit, or a fragment. @param starts it does not continue what came before. @param ends nothing continues it */
  push(payload: Buffer, starts: boolean, ends: boolean): void {
    if (starts) this.flush();
    const rest = this.#rest;
    // Small already, as most packets are.
    if (rest === undefined && payload.length <= PAYLOAD_LIMIT) {
      this.#send(payload);
      return;
    }
    this.#rest = undefined;
    const joined = rest === undefined ? payload : joinFragments(rest, payload);
    const parts = splitPayload(joined);
    const last = parts.at(-1);
    const isHeldBack = !ends && last !== undefined && isFragment(joined) && last.length < PAYLOAD_LIMIT;
    for (const part of isHeldBack ? parts.slice(0, -1) : parts) this.#send(part);
    if (isHeldBack) this.#rest = last;
  }

  /** Sends what waits: nothing continues it. */
  flush(): void {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) this.#send(rest);
  }
}
