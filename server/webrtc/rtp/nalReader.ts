import {
  aggregated,
  FU_A,
  FU_END,
  FU_START,
  NAL_IDR,
  NAL_SLICE,
  STAP_A,
  START_CODE,
  splitByteStream,
  stripZeros,
} from './h264.ts';

/** What was wrong with a stream and was put right, or what of it no browser can use. */
export type Mending =
  /** The marker bit was missing, or was set within a picture. */
  | 'marker'
  /** Start codes inside payloads. */
  | 'annexB'
  /** Headers of fragments that are not those of their NAL unit. */
  | 'fragments'
  /** Packets that no browser decodes (FU-B, MTAP, broken ones) were dropped. */
  | 'unusable'
  /** Parameter sets or SEI with the timestamp of the picture before. */
  | 'setsTimestamp'
  /** The stream has no parameter sets, or not before each key frame. */
  | 'setsFromSdp'
  /** The description has the parameter sets in another section, or with start codes. */
  | 'setsInSdp'
  /** A parameter set that cannot be read was dropped. */
  | 'brokenSets'
  /** A step of the timestamps that did not fit the time of arrival. */
  | 'timestampJump'
  /** Several pictures with one timestamp. */
  | 'timestampRepeated'
  /** Another RTP payload type than the described one. */
  | 'payloadType'
  /** Sound and picture come on one pair of channels. */
  | 'sharedChannel';

/** Takes the NAL units of a stream; every payload is a view of the packet unless it had to be rebuilt. */
export interface NalSink {
  /** A whole NAL unit. */
  onNal(nal: Buffer, type: number): void;
  /** A part of a slice, as FU-A (RFC 6184 section 5.8). */
  onFragment(payload: Buffer, starts: boolean, ends: boolean): void;
}

const FORBIDDEN_BIT = 0x80;
const LAST_OF_VIDEO = 12;
/** Ends a NAL unit whose last fragment has gone: a zero behind it means nothing (trailing_zero_8bits). */
const ZERO = Buffer.alloc(1);
/** Most bytes of a NAL unit that is no slice and comes in fragments; parameter sets have 10 to 100. */
const ASSEMBLED_LIMIT = 4_096;

const isSlice = (type: number): boolean => type === NAL_SLICE || type === NAL_IDR;

/** The zero bytes at the end of a payload, at most 3. */
function zerosAtEnd(payload: Buffer): number {
  let zeros = 0;
  while (zeros < 3 && payload[payload.length - 1 - zeros] === 0) zeros++;
  return zeros;
}

/**
 * Reads RTP payloads of H.264 to NAL units that are what their headers say: start codes inside them are taken apart
 * (Annex B within RTP), headers of fragments that do not fit are replaced, what browsers cannot use is dropped.
 * Fragments of slices are passed on as they come.
 */
export class NalReader {
  readonly #sink: NalSink;
  readonly #mended: Set<Mending>;
  /** Header of the NAL unit whose fragments are coming; undefined between two. */
  #header: number | undefined;
  /** The fragments so far of one that is no slice. */
  #assembled: Buffer[] = [];
  #assembledBytes = 0;
  /** Zero bytes at the end of the last fragment: a start code may go on in the next. */
  #zeros = 0;
  /** The bytes after a start code at the end of a fragment, too few to begin a NAL unit: none or its header. */
  #owed: Buffer | undefined;

  constructor(sink: NalSink, mended: Set<Mending>) {
    this.#sink = sink;
    this.#mended = mended;
  }

  /** Another picture begins: fragments that are still missing do not come any more. */
  breakOff(): void {
    this.#header = undefined;
    this.#owed = undefined;
    this.#zeros = 0;
  }

  /** @param follows false: packets before this one were lost. */
  read(payload: Buffer, follows: boolean): void {
    const type = payload[0]! & 0x1f;
    if (type === FU_A) {
      this.#fragment(payload, follows);
      return;
    }
    this.breakOff();
    if (type === STAP_A) for (const nal of aggregated(payload)) this.#whole(nal);
    else this.#whole(payload);
  }

  #whole(nal: Buffer): void {
    if (nal.indexOf(START_CODE) < 0) this.#pass(nal);
    else this.#split(nal, true);
  }

  #pass(nal: Buffer): void {
    const type = nal[0]! & 0x1f;
    if (nal.length < 2 && !(type > 8 && type <= LAST_OF_VIDEO)) return;
    if ((nal[0]! & FORBIDDEN_BIT) !== 0) this.#mended.add('unusable');
    else if (isSlice(type) || (type > NAL_IDR && type <= 9)) this.#sink.onNal(nal, type);
    // Ends of sequences, filler and extensions of H.264 are of no use to a viewer; the others are nothing of it.
    else if (type < NAL_IDR || type > 23) this.#mended.add('unusable');
  }

  /** Takes a byte stream apart that begins with a NAL unit or a start code. @param ends its last NAL unit ends here. */
  #split(bytes: Buffer, ends: boolean): void {
    this.#mended.add('annexB');
    const last = bytes.lastIndexOf(START_CODE);
    const complete = ends ? bytes : bytes.subarray(0, Math.max(0, last));
    for (const nal of splitByteStream(complete)) this.#pass(nal);
    const rest = ends ? undefined : bytes.subarray(last < 0 ? 0 : last + START_CODE.length);
    if (rest === undefined) this.breakOff();
    else if (rest.length < 2) this.#owed = Buffer.from(rest);
    else {
      this.#begin(rest[0]!);
      this.#part(rest.subarray(1), true, false);
    }
  }

  #fragment(payload: Buffer, follows: boolean): void {
    if (payload.length < 3) return;
    const flags = payload[1]!;
    const ends = (flags & FU_END) !== 0;
    const starts = (flags & FU_START) !== 0;
    if (this.#owed !== undefined && !starts) {
      const bytes = Buffer.concat([this.#owed, payload.subarray(2)]);
      this.#owed = undefined;
      this.#split(bytes, ends);
      this.#zeros = zerosAtEnd(payload);
      return;
    }
    if (starts) {
      this.breakOff();
      this.#begin((payload[0]! & 0xe0) | (flags & 0x1f));
      // This header byte is the first of a start code.
      if ((flags & 0x1f) === 0) this.#zeros = 1;
    } else if (this.#header === undefined) return;
    else if (!follows && (flags & 0x1f) !== (this.#header & 0x1f)) {
      this.breakOff();
      return;
    }
    const code = this.#endOfStraddling(payload);
    if (code > 0 || payload.indexOf(START_CODE, 2) >= 0) this.#cut(payload, code, starts, ends);
    else this.#part(payload.subarray(2), starts, ends, payload);
    this.#zeros = ends ? 0 : zerosAtEnd(payload);
    if (ends) this.#header = undefined;
  }

  /** Where a start code that began in the fragment before ends in this one; 0 if there is none. */
  #endOfStraddling(payload: Buffer): number {
    let at = 2;
    while (at < 4 && payload[at] === 0) at++;
    const zeros = this.#zeros + at - 2;
    return this.#zeros > 0 && zeros >= 2 && payload[at] === 1 ? at + 1 : 0;
  }

  /** A fragment with start codes: the NAL unit under way ends at the first. */
  #cut(payload: Buffer, straddling: number, starts: boolean, ends: boolean): void {
    let next = straddling;
    if (straddling > 0) {
      if (!starts) this.#part(ZERO, false, true);
    } else {
      const at = payload.indexOf(START_CODE, 2);
      const body = stripZeros(payload.subarray(2, at));
      if (body.length > 0) this.#part(body, starts, true);
      else if (!starts) this.#part(ZERO, false, true);
      next = at + START_CODE.length;
    }
    this.#header = undefined;
    this.#split(payload.subarray(next), ends);
  }

  #begin(header: number): void {
    this.#header = header;
    this.#assembled = [];
    this.#assembledBytes = 0;
  }

  /** @param payload the FU-A with this body, as it came. */
  #part(body: Buffer, starts: boolean, ends: boolean, payload?: Buffer): void {
    const header = this.#header!;
    const type = header & 0x1f;
    if (starts && ends) {
      if (payload !== undefined) this.#mended.add('fragments');
      this.#pass(Buffer.concat([Buffer.from([header]), body]));
    } else if (!isSlice(type)) this.#assemble(body, starts, ends);
    else if ((header & FORBIDDEN_BIT) !== 0) this.#mended.add('unusable');
    else {
      const flags = (starts ? FU_START : 0) | (ends ? FU_END : 0) | type;
      const isGood = payload !== undefined && (payload[1]! & ~0x20) === flags;
      if (payload !== undefined && !isGood) this.#mended.add('fragments');
      const sound = isGood ? payload : Buffer.concat([Buffer.from([(header & 0x60) | FU_A, flags]), body]);
      this.#sink.onFragment(sound, starts, ends);
    }
  }

  #assemble(body: Buffer, starts: boolean, ends: boolean): void {
    if (starts) this.#assembled = [Buffer.from([this.#header!])];
    this.#assembledBytes += body.length;
    const fits = this.#assembledBytes <= ASSEMBLED_LIMIT;
    if (fits) this.#assembled.push(Buffer.from(body));
    else this.#assembled = [];
    if (ends && fits) this.#pass(Buffer.concat(this.#assembled));
  }
}
