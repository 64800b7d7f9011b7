import { inTime } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { PowerState } from '../powerState.ts';
import type { Display, SuspendControl } from './driver.ts';

interface PanelSleepOptions {
  readonly display: Display;
  readonly power: SuspendControl;
  readonly state: PowerState;
  /** The sleeping panel was touched. */
  readonly onTouch: () => void;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How long the display may take to answer, in milliseconds; then the panel continues without it. */
const DISPLAY_LIMIT_MS = 5_000;

/**
 * How the panel sleeps: the display turns off, then the whole panel is suspended if its wake alarm is set and the
 * system can do it. A display or system that fails is logged and delays nothing: a dark display is sleep enough.
 */
export class PanelSleep {
  readonly #display: Display;
  readonly #power: SuspendControl;
  readonly #panel: PowerState;
  readonly #onTouch: () => void;
  readonly #log: Logger;
  readonly #clock: Clock;
  #state: 'awake' | 'asleep' = 'awake';
  #suspended = false;

  constructor({ display, power, state, onTouch, log, clock }: PanelSleepOptions) {
    this.#display = display;
    this.#power = power;
    this.#panel = state;
    this.#onTouch = onTouch;
    this.#log = log;
    this.#clock = clock;
  }

  get state(): 'awake' | 'asleep' {
    return this.#state;
  }

  /** Whether the system has agreed to suspend, and has given no sign yet that it is back. */
  get suspended(): boolean {
    return this.#suspended;
  }

  /** @param alarmSet whether a wake alarm is set far enough ahead; without one nothing would end a suspend */
  async sleep(alarmSet: boolean): Promise<void> {
    if (this.#state === 'awake') {
      this.#state = 'asleep';
      this.#log.info('sleep: going to sleep');
      await this.#show(() => this.#display.sleep(this.#onTouch), 'sleep: could not switch the display off');
      this.#panel.setAsleep(true);
    }
    if (!alarmSet || !(await this.#power.canSuspend())) return;
    try {
      await this.#power.suspend();
      this.#suspended = true;
    } catch (error) {
      this.#log.error({ err: error }, 'sleep: could not suspend, only the display is off');
    }
  }

  /** The system is back from a suspend, whatever ended it. The display stays as it is. */
  resumed(): void {
    this.#suspended = false;
  }

  async wake(): Promise<void> {
    if (this.#state === 'awake') return;
    this.#state = 'awake';
    this.#suspended = false;
    this.#log.info('sleep: waking up');
    await this.#show(() => this.#display.wake(), 'sleep: could not switch the display on');
    this.#panel.setAsleep(false);
  }

  async #show(change: () => Promise<void>, line: LogLine): Promise<void> {
    try {
      await inTime(this.#clock, DISPLAY_LIMIT_MS, change());
    } catch (error) {
      this.#log.error({ err: error }, line);
    }
  }
}
