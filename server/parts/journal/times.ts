/** Microseconds within a millisecond. */
const PER_MS = 1_000;

/**
 * Times of entries: UTC with microseconds, each later than the one before. Entries of one millisecond are a microsecond
 * apart; while a clock that was set back has not caught up, all are.
 */
export class UniqueTimes {
  readonly #date: () => number;
  #ms = 0;
  #us = 0;

  /** @param date milliseconds since 1970 */
  constructor(date: () => number) {
    this.#date = date;
  }

  /** Begins after a time that was made before. */
  after(time: string): void {
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) return;
    this.#ms = ms;
    this.#us = Number(/\.\d{3}(\d{3})Z$/.exec(time)?.[1] ?? 0);
  }

  next(): string {
    const now = Math.floor(this.#date());
    if (now > this.#ms) {
      this.#ms = now;
      this.#us = 0;
    } else if (++this.#us === PER_MS) {
      this.#ms++;
      this.#us = 0;
    }
    return written(this.#ms, String(this.#us));
  }
}

/** A time of any number of digits as `UniqueTimes` writes it, so that the two can be compared as texts. */
export function normalTime(time: string): string {
  const fraction = /\.(\d+)Z$/.exec(time)?.[1] ?? '';
  const ms = Date.parse(time.replace(/\.\d+Z$/, 'Z'));
  const digits = fraction.slice(0, 6).padEnd(6, '0');
  return written(ms + Number(digits.slice(0, 3)), digits.slice(3));
}

function written(ms: number, us: string): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${us.padStart(3, '0')}Z`;
}
