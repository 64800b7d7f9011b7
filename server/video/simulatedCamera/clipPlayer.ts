import { type Clock, systemClock as steady } from '../../platform/clock.ts';
import type { Clip } from './clip.ts';

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
