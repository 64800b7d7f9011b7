import { type Clock, systemClock as steady } from '../../platform/clock.ts';
import { splitByteStream } from '../../webrtc/rtp/h264.ts';

/** One picture of a clip: its NAL units without start codes and without parameter sets. */
interface ClipFrame {
  readonly nals: readonly Buffer[];
  /** True for an IDR picture: decoding can start here. */
  readonly isKey: boolean;
}

/** A clip that can be replayed in a loop: it begins with a keyframe, and one pair of parameter sets serves all of it. */
export interface Clip {
  readonly sps: Buffer;
  readonly pps: Buffer;
  readonly frames: readonly ClipFrame[];
}

const NAL_SLICE = 1;
const NAL_IDR = 5;
const NAL_SPS = 7;
const NAL_PPS = 8;

/** Type of a NAL unit (H.264, 7.3.1). */
function nalType(nal: Uint8Array): number {
  return nal[0]! & 0x1f;
}

/**
 * Reads an H.264 byte stream (H.264, Annex B). Parameter sets are removed, because the sender adds them before every
 * key frame; delimiters and SEI are dropped, because no receiver here needs them.
 * @throws Error if the bytes contain no parameter sets or do not begin with a key frame.
 */
export function parseClip(bytes: Buffer): Clip {
  let sps: Buffer | undefined;
  let pps: Buffer | undefined;
  const frames: { nals: Buffer[]; isKey: boolean }[] = [];
  for (const nal of splitByteStream(bytes)) {
    // A NAL unit that carries a picture or a parameter set has at least a header and one byte.
    if (nal.length < 2) continue;
    const type = nalType(nal);
    if (type === NAL_SPS) sps ??= nal;
    else if (type === NAL_PPS) pps ??= nal;
    else if (type === NAL_SLICE || type === NAL_IDR) {
      // first_mb_in_slice is an Exp-Golomb code: a leading 1 bit means 0, the first slice of a new picture (H.264, 7.3.3).
      const beginsPicture = (nal[1]! & 0x80) !== 0;
      if (beginsPicture) frames.push({ nals: [nal], isKey: type === NAL_IDR });
      else frames.at(-1)?.nals.push(nal);
    }
  }
  if (!sps || !pps || !frames[0]?.isKey) {
    throw new Error('The clip is no H.264 byte stream that begins with parameter sets and a keyframe.');
  }
  return { sps, pps, frames };
}

/** The machine's clock. `now` is milliseconds since 1970; it runs evenly, also when the system's clock is set. */
export const systemClock: Clock = { ...steady, now: () => performance.timeOrigin + performance.now() };

/** The receiver of the pictures. */
interface FrameSink {
  /** @param nals the picture's NAL units, before a keyframe with the parameter sets. @param number counts up for ever. */
  send(nals: readonly Buffer[], number: number): void;
  /** True while the receiver takes its bytes too slowly. */
  isFull(): boolean;
}

/** A picture that is later than this is not sent (the machine slept, or the receiver stalled). */
const TOO_LATE_MS = 1_000;

/** Replays a clip at the speed of real time, in a loop, beginning with its first keyframe. */
export class ClipPlayer {
  readonly #clip: Clip;
  readonly #frameMs: number;
  readonly #sink: FrameSink;
  readonly #clock: Clock;
  #startedAt = 0;
  #next = 0;
  #waitsForKey = false;
  #isPlaying = false;
  #cancel: (() => void) | undefined;

  constructor(clip: Clip, framesPerSecond: number, sink: FrameSink, clock: Clock) {
    this.#clip = clip;
    this.#frameMs = 1000 / framesPerSecond;
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Sends the first picture at once, the others when they are due. */
  start(): void {
    if (this.#isPlaying) return;
    this.#isPlaying = true;
    this.#startedAt = this.#clock.now();
    this.#next = 0;
    this.#waitsForKey = false;
    this.#sendDueFrames();
  }

  stop(): void {
    this.#isPlaying = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #sendDueFrames(): void {
    const now = this.#clock.now();
    while (this.#dueAt(this.#next) <= now) {
      this.#sendFrame(this.#next++, now);
      // The sink may have stopped the player.
      if (!this.#isPlaying) return;
    }
    this.#cancel = this.#clock.after(this.#dueAt(this.#next) - now, () => this.#sendDueFrames());
  }

  /** A skipped picture breaks all that depend on it, so sending continues with a key frame. */
  #sendFrame(number: number, now: number): void {
    const frame = this.#clip.frames[number % this.#clip.frames.length]!;
    if (now - this.#dueAt(number) > TOO_LATE_MS || this.#sink.isFull()) this.#waitsForKey = true;
    else if (frame.isKey) this.#waitsForKey = false;
    if (this.#waitsForKey) return;
    this.#sink.send(frame.isKey ? [this.#clip.sps, this.#clip.pps, ...frame.nals] : frame.nals, number);
  }

  #dueAt(number: number): number {
    return this.#startedAt + number * this.#frameMs;
  }
}
