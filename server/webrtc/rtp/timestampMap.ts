import { randomBytes } from 'node:crypto';
import { type ClockPoint, clockPointAt } from './rtcp.ts';

/** Our first timestamps: far from the end of the numbers, where a small step back would look like one of 13 hours. */
const FIRST_LEAST = 2 ** 27;
const FIRST_RANGE_BYTES = 3;

/** Maps a camera's timestamps to our own base, which continues when the camera restarts its stream. */
export class TimestampMap {
  readonly #clockRate: number;
  #offset = 0;
  #isRestarting = false;
  /** The camera's and our timestamp of the last repeated picture. */
  #repeated: { timestamp: number | undefined; mapped: number } | undefined;
  /** Our last timestamp, and when its first packet came. */
  #last: { timestamp: number; at: number } | undefined;

  constructor(clockRate: number) {
    this.#clockRate = clockRate;
  }

  map(timestamp: number): number {
    if (this.#last === undefined) {
      const first = FIRST_LEAST + randomBytes(FIRST_RANGE_BYTES).readUIntBE(0, FIRST_RANGE_BYTES) * 64;
      this.#offset = (first - timestamp) >>> 0;
    } else if (this.#isRestarting) {
      const elapsed = Math.round(((performance.now() - this.#last.at) / 1000) * this.#clockRate);
      this.#offset = (this.#last.timestamp + elapsed - timestamp) >>> 0;
    }
    this.#isRestarting = false;
    this.#repeated = undefined;
    let mapped = (timestamp + this.#offset) >>> 0;
    const last = this.#last?.timestamp ?? mapped;
    // Chromium freezes when a timestamp steps back across 0, as B-frames may: from here on all are later by that step.
    if (mapped > last && ((mapped - last) | 0) < 0) {
      this.#offset = (last + 1 - timestamp) >>> 0;
      mapped = last + 1;
    }
    // The packets of one picture have the same timestamp: it belongs to the first.
    if (mapped !== this.#last?.timestamp) this.#last = { timestamp: mapped, at: performance.now() };
    return mapped;
  }

  /** The next timestamp has another base. */
  restart(): void {
    this.#isRestarting = true;
  }

  /** Announces that already sent pictures follow. */
  startRepeat(): void {
    const mapped = this.#repeated?.mapped ?? this.#last?.timestamp ?? 0;
    this.#repeated = { timestamp: undefined, mapped };
  }

  /**
   * The timestamp of a repeated picture: one tick after the previous one, so that it is newer than all shown pictures
   * and older than the next new one.
   */
  repeat(timestamp: number): number {
    if (this.#repeated === undefined) return this.map(timestamp);
    if (this.#repeated.timestamp !== timestamp) {
      this.#repeated = { timestamp, mapped: (this.#repeated.mapped + 1) >>> 0 };
    }
    return this.#repeated.mapped;
  }

  /** A timestamp of the camera's sender report; undefined while its base is not known. */
  translate(timestamp: number): number | undefined {
    if (this.#isRestarting || this.#last === undefined) return undefined;
    return (timestamp + this.#offset) >>> 0;
  }

  arrivalPoint(): ClockPoint | undefined {
    if (this.#last === undefined) return undefined;
    return clockPointAt(performance.timeOrigin + this.#last.at, this.#last.timestamp);
  }
}

/** A step of the timestamps that is this much longer than the time of arrival allows, or that is negative, is a jump. */
const JUMP_MS = 3_000;
/** The earliest arrival moves by this share of the passed time: clocks of cameras run slow. */
const DRIFT = 0.001;
/** From so many equal timestamps on, the time of arrival counts. */
const REPEATS = 3;

/**
 * Timestamps that continue when the camera's clock is set: a jump is replaced by the time that has passed. Packets that
 * come late (a stalled network) are no jump, so what counts is how early they come.
 */
export class SteadyTimestamps {
  readonly #ticksPerMs: number;
  #offset = 0;
  #last: { raw: number; out: number; at: number } | undefined;
  /** By how much the last one came later than the earliest, in milliseconds. */
  #late = 0;
  #pause = 0;
  #repeats = 0;
  #jumps = 0;

  constructor(clockRate: number) {
    this.#ticksPerMs = clockRate / 1000;
  }

  /** How often the base changed: a sender report from before that does not count. */
  get jumps(): number {
    return this.#jumps;
  }

  /** By how much the last one came later after the one before it than their timestamps say, in milliseconds. */
  get pauseMs(): number {
    return this.#pause;
  }

  /** A timestamp of the camera on the present base. */
  translate(raw: number): number {
    return (raw + this.#offset) >>> 0;
  }

  /**
   * @param now milliseconds of a monotonic clock
   * @param isNew another picture than the last one, even if it has the same timestamp
   * @param mayStepBack pictures may come in another order than they are shown in, as those of B-frames do
   */
  next(raw: number, now: number, isNew = false, mayStepBack = false): number {
    const last = this.#last;
    let out = this.translate(raw);
    if (last !== undefined) {
      const elapsed = now - last.at;
      if (raw === last.raw) {
        if (!isNew) return last.out;
        this.#repeats++;
        this.#late += elapsed;
        out = (last.out + 1) >>> 0;
        if (this.#repeats >= REPEATS) out = this.#goOn(raw, last.out, elapsed);
      } else {
        this.#repeats = 0;
        this.#pause = 0;
        const step = ((raw - last.raw) | 0) / this.#ticksPerMs;
        const late = this.#late + elapsed - step;
        if (step < (mayStepBack ? -JUMP_MS : 0) || late < -JUMP_MS) {
          this.#jumps++;
          out = this.#goOn(raw, last.out, elapsed);
        } else {
          this.#late = Math.max(0, late - elapsed * DRIFT);
          this.#pause = elapsed - step;
        }
      }
    }
    this.#last = { raw, out, at: now };
    return out;
  }

  #goOn(raw: number, before: number, elapsed: number): number {
    this.#late = 0;
    const out = (before + Math.max(1, Math.round(elapsed * this.#ticksPerMs))) >>> 0;
    this.#offset = (out - raw) >>> 0;
    return out;
  }
}

/** Number of recent pictures; odd, so that there is a middle one. */
const WINDOW = 9;
/** Ticks of the RTP clock of video per millisecond (RFC 6184 section 8.2.1). */
const TICKS_PER_MS = 90;
/** A longer step is a jump of the camera's clock. */
const LONGEST_MS = 60_000;

/** The time between two pictures by the camera's own timestamps: network delays do not count. */
export class FrameInterval {
  readonly #steps: number[] = [];
  #last: number | undefined;

  /** Takes the timestamp of the next packet. */
  add(timestamp: number): void {
    if (timestamp === this.#last) return;
    const step = this.#last === undefined ? 0 : ((timestamp - this.#last) | 0) / TICKS_PER_MS;
    this.#last = timestamp;
    if (step <= 0 || step > LONGEST_MS) return;
    this.#steps.push(step);
    if (this.#steps.length > WINDOW) this.#steps.shift();
  }

  /** The next timestamp has another base. */
  restart(): void {
    this.#last = undefined;
  }

  /** Milliseconds, the median of the last pictures; undefined before the second picture. */
  get ms(): number | undefined {
    return this.#steps.toSorted((a, b) => a - b)[this.#steps.length >> 1];
  }
}
