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
