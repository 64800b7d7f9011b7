import { randomBytes } from 'node:crypto';
import { type ClockPoint, clockPointAt } from './rtcp.ts';

/** Maps a camera's timestamps to our own base, which continues when the camera restarts its stream. */
export class TimestampMap {
  readonly #clockRate: number;
  #offset = randomBytes(4).readUInt32BE();
  #isRestarting = false;
  /** The camera's and our timestamp of the last repeated picture. */
  #repeated: { timestamp: number | undefined; mapped: number } | undefined;
  /** Our last timestamp, and when its first packet came. */
  #last: { timestamp: number; at: number } | undefined;

  constructor(clockRate: number) {
    this.#clockRate = clockRate;
  }

  map(timestamp: number): number {
    if (this.#isRestarting && this.#last !== undefined) {
      const elapsed = Math.round(((performance.now() - this.#last.at) / 1000) * this.#clockRate);
      this.#offset = (this.#last.timestamp + elapsed - timestamp) >>> 0;
    }
    this.#isRestarting = false;
    this.#repeated = undefined;
    const mapped = (timestamp + this.#offset) >>> 0;
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
