import type { WallClock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { Device } from '../device.ts';
import type { RtcDriver } from './driver.ts';

/** Errors of a clock that cannot hold an alarm at this time: the schedule then works by timer. */
const NOT_HELD = ['EINVAL', 'ERANGE', 'EDOM'];
/** A clock without seconds fires up to this much early. */
const EARLY_SECONDS = 60;
/** The clock and the system's time drift apart by less than this in a minute, in seconds. */
const DRIFT_SECONDS = 5;
/** Some clocks hold no alarm beyond a day: a step has this length, in seconds. */
const STEP_SECONDS = 24 * 3600 - 60;
/** A step is set again when this much of it has passed, in seconds. */
const STEP_AGAIN_SECONDS = 3_600;
/** Going to sleep takes time: an alarm that fires before the panel is suspended would not wake it. */
const SUSPEND_MARGIN_SECONDS = 120;

/** The alarm that wakes a suspended panel, always set to the moment when the panel should next be awake. */
export class WakeAlarm {
  readonly #part: Device<RtcDriver>;
  readonly #clock: WallClock;
  readonly #log: Logger;
  /** Whether the clock has shown that it holds no alarm beyond a day: a later moment is reached in steps. */
  #inSteps = false;
  /** What was logged last, so that a lasting fault makes one line. */
  #fault: string | undefined;

  constructor(part: Device<RtcDriver>, clock: WallClock, log: Logger) {
    this.#part = part;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Sets the alarm, or switches it off. A clock that cannot hold one so far ahead gets it in steps of a day: `keep`
   * sets the next step, on the way and whenever the panel wakes. A clock that does not hold even that is only logged.
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
        await this.#arm(driver, this.#secondsUntil(moment));
        this.#fault = undefined;
      } catch (error) {
        if (!NOT_HELD.includes(errnoOf(error) ?? '')) throw error;
        this.#warn('sleep: the real-time clock cannot hold the wake alarm, a timer wakes the panel', error);
      }
    });
  }

  /** Sets the alarm again when it is wrong: it went off, another program changed it, or the time was changed. */
  async keep(moment: number | null): Promise<void> {
    try {
      const remaining = await this.#part.use((driver) => driver.remaining());
      if (!this.#fits(remaining, moment)) await this.set(moment);
    } catch (error) {
      this.#warn('sleep: could not set the wake alarm, a timer wakes the panel', error);
    }
  }

  /** Whether a suspended panel would wake for `moment`: the alarm is real, correct, and not too near. */
  async holds(moment: number | null): Promise<boolean> {
    if (moment === null || this.#part.info().state !== 'real') return false;
    try {
      const remaining = await this.#part.use((driver) => driver.remaining());
      return remaining !== null && remaining >= SUSPEND_MARGIN_SECONDS && this.#fits(remaining, moment);
    } catch {
      return false;
    }
  }

  async #arm(driver: RtcDriver, seconds: number): Promise<void> {
    if (!this.#inSteps || seconds <= STEP_SECONDS) {
      try {
        return await driver.arm(seconds);
      } catch (error) {
        if (seconds <= STEP_SECONDS || !NOT_HELD.includes(errnoOf(error) ?? '')) throw error;
      }
    }
    await driver.arm(STEP_SECONDS);
    if (!this.#inSteps)
      this.#log.info('sleep: the real-time clock takes no alarm beyond a day, using steps of a day');
    this.#inSteps = true;
  }

  #fits(remaining: number | null, moment: number | null): boolean {
    if (moment === null) return remaining === null;
    const wanted = this.#secondsUntil(moment);
    if (this.#inSteps && wanted > STEP_SECONDS) {
      const passed = STEP_SECONDS - (remaining ?? 0);
      return passed >= -DRIFT_SECONDS && passed < STEP_AGAIN_SECONDS;
    }
    // So near that a clock without seconds has gone off already.
    if (remaining === null) return wanted <= EARLY_SECONDS + DRIFT_SECONDS;
    const late = remaining - wanted;
    return late <= DRIFT_SECONDS && late >= -EARLY_SECONDS - DRIFT_SECONDS;
  }

  #secondsUntil(moment: number): number {
    return Math.max(1, Math.ceil((moment - this.#clock.wall()) / 1000));
  }

  #warn(line: LogLine, error: unknown): void {
    const fault = `${line}: ${error}`;
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#log.warn({ err: error }, line);
  }
}
