import type { Clock } from '../../observe/clock.ts';
import type { EventBus } from '../../observe/eventBus.ts';
import type { Logger } from '../../observe/log.ts';
import type { Display, SuspendControl } from './driver.ts';

interface PanelSleepOptions {
  readonly display: Display;
  readonly power: SuspendControl;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock: Clock;
}

/** A display that does not answer in this time is left to itself. */
const DISPLAY_LIMIT_MS = 5_000;

/**
 * How the panel sleeps: the display goes dark, then the whole panel is suspended where its wake alarm is set and the
 * system can. A display or system that fails is logged and holds nothing up: the display alone is sleep enough.
 */
export class PanelSleep {
  readonly #display: Display;
  readonly #power: SuspendControl;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #clock: Clock;
  #state: 'awake' | 'asleep' = 'awake';
  #suspended = false;

  constructor({ display, power, events, log, clock }: PanelSleepOptions) {
    this.#display = display;
    this.#power = power;
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
  }

  get state(): 'awake' | 'asleep' {
    return this.#state;
  }

  /** Whether the system has agreed to suspend, and nothing has shown yet that it is back. */
  get suspended(): boolean {
    return this.#suspended;
  }

  /** @param alarmSet whether a wake alarm is set far enough ahead; without one nothing would end a suspend */
  async sleep(alarmSet: boolean): Promise<void> {
    if (this.#state === 'awake') {
      this.#state = 'asleep';
      this.#log.info('the panel goes to sleep');
      await this.#show(() => this.#display.sleep(), 'the display could not be made dark');
      this.#events.emit('power', { state: 'asleep' });
    }
    if (!alarmSet || !(await this.#power.canSuspend())) return;
    try {
      await this.#power.suspend();
      this.#suspended = true;
    } catch (error) {
      this.#log.error({ err: error }, 'the panel could not be suspended; only its display is dark');
    }
  }

  /** The system is back from a suspend, whoever ended it. The display stays as it is. */
  resumed(): void {
    this.#suspended = false;
  }

  async wake(): Promise<void> {
    if (this.#state === 'awake') return;
    this.#state = 'awake';
    this.#suspended = false;
    this.#log.info('the panel wakes');
    await this.#show(() => this.#display.wake(), 'the display could not be switched on');
    this.#events.emit('power', { state: 'awake' });
  }

  async #show(change: () => Promise<void>, failure: string): Promise<void> {
    let cancel = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(DISPLAY_LIMIT_MS, () => reject(new Error('no answer in time')));
    });
    try {
      await Promise.race([change(), late]);
    } catch (error) {
      this.#log.error({ err: error }, failure);
    } finally {
      cancel();
    }
  }
}
