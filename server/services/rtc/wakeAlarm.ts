import { errnoOf } from '../../observe/errno.ts';
import type { Logger } from '../../observe/log.ts';
import type { Part } from '../part.ts';
import type { RtcDriver, WallClock } from './driver.ts';

/** Errors of a clock that cannot hold an alarm at this time: the schedule works without it, by timer. */
const NOT_HELD = ['EINVAL', 'ERANGE', 'EDOM'];
/** A clock without seconds goes off up to this much early. */
const EARLY_SECONDS = 60;
/** The clock and the system's time drift apart by less than this in a minute, in seconds. */
const DRIFT_SECONDS = 5;
/** Going to sleep takes a while: an alarm that goes off before the panel stands still would wake nobody. */
const SUSPEND_MARGIN_SECONDS = 120;

/** The alarm that wakes a suspended panel, kept at the moment at which the panel is to be awake next. */
export class WakeAlarm {
  readonly #part: Part<RtcDriver>;
  readonly #clock: WallClock;
  readonly #log: Logger;
  /** What was logged last, so that a lasting fault makes one line. */
  #fault: string | undefined;

  constructor(part: Part<RtcDriver>, clock: WallClock, log: Logger) {
    this.#part = part;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Sets the alarm, or switches it off. A clock that cannot hold an alarm so far ahead is logged only.
   * @param moment milliseconds since 1970; null for no alarm
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async set(moment: number | null): Promise<void> {
    await this.#part.use(async (driver) => {
      if (moment === null) {
        await driver.disarm();
        return;
      }
      try {
        await driver.arm(this.#secondsUntil(moment));
        this.#fault = undefined;
      } catch (error) {
        if (!NOT_HELD.includes(errnoOf(error) ?? '')) throw error;
        this.#warn('the real-time clock cannot hold the next wake alarm; a timer wakes the panel', error);
      }
    });
  }

  /** Sets the alarm anew where it is not as it should be: gone off, changed by others, or the time was changed. */
  async keep(moment: number | null): Promise<void> {
    try {
      const remaining = await this.#part.use((driver) => driver.remaining());
      if (!this.#fits(remaining, moment)) await this.set(moment);
    } catch (error) {
      this.#warn('the wake alarm could not be set; a timer wakes the panel', error);
    }
  }

  /** Whether a suspended panel would be woken for `moment`: the alarm is real, as it should be, and not too near. */
  async holds(moment: number | null): Promise<boolean> {
    if (moment === null || this.#part.info().state !== 'real') return false;
    try {
      const remaining = await this.#part.use((driver) => driver.remaining());
      return remaining !== null && remaining >= SUSPEND_MARGIN_SECONDS && this.#fits(remaining, moment);
    } catch {
      return false;
    }
  }

  #fits(remaining: number | null, moment: number | null): boolean {
    if (moment === null) return remaining === null;
    const wanted = this.#secondsUntil(moment);
    // So near that a clock without seconds has gone off already.
    if (remaining === null) return wanted <= EARLY_SECONDS + DRIFT_SECONDS;
    const late = remaining - wanted;
    return late <= DRIFT_SECONDS && late >= -EARLY_SECONDS - DRIFT_SECONDS;
  }

  #secondsUntil(moment: number): number {
    return Math.max(1, Math.ceil((moment - this.#clock.wall()) / 1000));
  }

  #warn(failure: string, error: unknown): void {
    const fault = `${failure}: ${error}`;
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#log.warn({ err: error }, failure);
  }
}
