import { isDeepStrictEqual } from 'node:util';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { localIso, systemWallClock, type WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import type { PowerState } from '../powerState.ts';
import { WakeAlarm } from './alarmTimer.ts';
import { type AlarmState, alarmSchedule, sleepsAsItWakes } from './contract.ts';
import type { Display, RtcDriver, SuspendControl } from './driver.ts';
import { PanelSleep } from './panelSleep.ts';
import { nextOff, nextOn, type Schedule, ScheduleKeeper } from './scheduleKeeper.ts';

interface SleepOptions {
  /** null when the board has no real-time clock. */
  readonly driver: RtcDriver | null;
  /** The schedule is stored in `<dataDir>/rtc.json`. */
  readonly dataDir: string;
  readonly display: Display;
  readonly power: SuspendControl;
  readonly state: PowerState;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: WallClock;
}

/** The schedule before the first change. */
const DEFAULT_SCHEDULE: Schedule = { enabled: false, onTime: '07:00', offTime: '22:00', onDays: [] };

export const scheduleKind: StateKind<Schedule> = {
  name: 'rtc',
  schema: { parse: (value) => checked(alarmSchedule.parse(value)) },
  defaults: DEFAULT_SCHEDULE,
};

/**
 * The sleep schedule. The wake alarm of the real-time clock always holds the next waking time, also while the panel is
 * awake, so that it works for a panel that a person suspends or switches off by hand.
 */
export class SleepService {
  readonly #part: Device<RtcDriver>;
  readonly #file: StateFile<Schedule>;
  readonly #alarm: WakeAlarm;
  readonly #sleep: PanelSleep;
  readonly #keeper: ScheduleKeeper;
  readonly #events: EventBus;
  readonly #clock: WallClock;
  #announced: AlarmState | undefined;

  constructor({
    driver,
    dataDir,
    display,
    power,
    state,
    events,
    log,
    clock = systemWallClock,
  }: SleepOptions) {
    this.#part = new Device('real-time clock', driver, log, 'HARDWARE_ERROR');
    this.#file = StateFile.of(scheduleKind, dataDir, log);
    this.#alarm = new WakeAlarm(this.#part, clock, log);
    this.#sleep = new PanelSleep({ display, power, state, log, clock, onTouch: () => this.touched() });
    this.#keeper = new ScheduleKeeper({
      schedule: () => (this.#part.present ? this.#file.value : null),
      alarm: this.#alarm,
      sleep: this.#sleep,
      log,
      clock,
      looked: () => this.#announce(),
    });
    this.#events = events;
    this.#clock = clock;
  }

  /** Takes the schedule of the last run and sets the wake alarm. */
  async start(): Promise<void> {
    await this.#file.load();
    await this.#part.start();
    this.#announced = this.snapshot();
    await this.#keeper.start();
  }

  /** Leaves the display on and the wake alarm set. */
  async stop(): Promise<void> {
    await this.#keeper.stop();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  power(): { state: 'awake' | 'asleep' } {
    return { state: this.#sleep.state };
  }

  /** The alarm for the first event of a listener; undefined when the board has no real-time clock. */
  snapshot(): AlarmState | undefined {
    return this.#part.present ? this.#state() : undefined;
  }

  /** A person touched the screen: a sleeping panel wakes, and one that is awake in its sleep time stays awake. */
  touched(): void {
    this.#keeper.touched();
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async alarm(): Promise<ResultOf<'rtc.alarm'>> {
    return this.#part.use(async () => this.#state());
  }

  /**
   * Changes the given fields. Answers once the wake alarm is set and the schedule is on disk; when either fails,
   * nothing has changed.
   * @throws FaceplateError INVALID_REQUEST (both times would be the same), UNSUPPORTED_HARDWARE, HARDWARE_ERROR,
   * STORAGE_FULL
   */
  async setAlarm(
    params: ParamsOf<'rtc.setAlarm'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'rtc.setAlarm'>> {
    await this.#keeper.change(signal, async () => {
      const before = this.#file.value;
      // In the queue: the changes of an earlier call stay.
      const schedule = checked(merged(before, params));
      try {
        await this.#alarm.set(nextOn(schedule, this.#clock.wall()));
        await this.#file.save(schedule);
      } catch (error) {
        await this.#alarm.keep(nextOn(before, this.#clock.wall()));
        throw error;
      }
    });
    return this.#state();
  }

  #state(): AlarmState {
    const { enabled, onTime, offTime, onDays } = this.#file.value;
    const now = this.#clock.wall();
    const on = nextOn(this.#file.value, now);
    const off = nextOff(this.#file.value, now);
    return {
      enabled,
      onTime,
      offTime,
      onDays: [...onDays],
      nextOn: on === null ? null : localIso(on),
      nextOff: off === null ? null : localIso(off),
    };
  }

  /** Called after a change of the schedule, and after each edge, which moves `nextOn` or `nextOff`. */
  #announce(): void {
    const alarm = this.snapshot();
    if (isDeepStrictEqual(alarm, this.#announced)) return;
    this.#announced = alarm;
    if (alarm) this.#events.emit('rtc', alarm);
  }
}

function merged(before: Schedule, given: ParamsOf<'rtc.setAlarm'>): Schedule {
  const { enabled, onTime, offTime, onDays } = given;
  return {
    enabled: enabled ?? before.enabled,
    onTime: onTime ?? before.onTime,
    offTime: offTime ?? before.offTime,
    onDays: onDays ?? before.onDays,
  };
}

/** @throws FaceplateError INVALID_REQUEST when the panel would sleep at the moment it wakes */
function checked<T extends { onTime: string; offTime: string }>(schedule: T): T {
  if (!sleepsAsItWakes(schedule)) return schedule;
  throw new FaceplateError('INVALID_REQUEST', 'offTime must differ from onTime.', { field: 'offTime' });
}
