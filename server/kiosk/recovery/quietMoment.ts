import type { Clock } from '../../platform/clock.ts';

/** A panel whose last touch is more recent than this is in use, in milliseconds. */
const IN_USE_MS = 5 * 60_000;

interface QuietMomentOptions {
  readonly clock: Clock;
  /** Local time. */
  readonly date: () => Date;
  /** The hour of the day, local time, in which a restart of the browser disturbs nobody. */
  readonly quietHour: () => number;
  readonly isAsleep: () => boolean;
  /** Whether the intercom has a call, or one rings. */
  readonly isInCall: () => Promise<boolean>;
}

/**
 * Knows when a restart of the browser disturbs nobody: the panel sleeps, or it is the quiet hour and nobody has touched
 * it for five minutes; and no call is there.
 */
export class QuietMoment {
  readonly #options: QuietMomentOptions;
  #touchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: QuietMomentOptions) {
    this.#options = options;
  }

  /** A person uses the panel. */
  touched(): void {
    this.#touchedAt = this.#options.clock.now();
  }

  /** Never rejects. */
  async isNow(): Promise<boolean> {
    const { clock, date, quietHour, isAsleep, isInCall } = this.#options;
    const isUnused = date().getHours() === quietHour() && clock.now() - this.#touchedAt >= IN_USE_MS;
    if (!isAsleep() && !isUnused) return false;
    // Where nobody can say, there may be a call.
    return !(await isInCall().catch(() => true));
  }
}
