import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { type AlarmState, rtcCommands } from '../../contract/rtc.ts';
import type { PartInfo } from '../../contract/system.ts';
import { systemClock } from '../../observe/clock.ts';
import type { EventBus } from '../../observe/eventBus.ts';
import type { Logger } from '../../observe/log.ts';
import { StateFile } from '../../store/stateFile.ts';
import type { CallContext } from '../callContext.ts';
import { Part } from '../part.ts';
import type { Display, RtcDriver, SuspendControl, WallClock } from './driver.ts';
import { localIso } from './localTime.ts';
import { PanelSleep } from './panelSleep.ts';
import { nextOff, nextOn, type Schedule } from './schedule.ts';
import { ScheduleKeeper } from './scheduleKeeper.ts';
import { WakeAlarm } from './wakeAlarm.ts';

interface RtcOptions {
  /** null where the board has no real-time clock. */
  readonly driver: RtcDriver | null;
  /** The schedule is kept in `<dataDir>/rtc.json`. */
  readonly dataDir: string;
  readonly display: Display;
  readonly power: SuspendControl;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: WallClock;
}

/** Before anyone set it. */
const DEFAULT_SCHEDULE: Schedule = { enabled: false, onTime: '07:00', offTime: '22:00', onDays: [] };

const systemWallClock: WallClock = { ...systemClock, wall: () => Date.now() };

/**
 * The sleep and wake schedule. The wake alarm of the real-time clock is kept at the next time of waking, also while
 * the panel is awake, so that it counts for a panel that someone suspends or switches off by hand.
 */
export class RtcService {
  readonly #part: Part<RtcDriver>;
  readonly #file: StateFile<Schedule>;
  readonly #alarm: WakeAlarm;
  readonly #sleep: PanelSleep;
  readonly #keeper: ScheduleKeeper;
  readonly #events: EventBus;
  readonly #clock: WallClock;
  #announced: AlarmState | undefined;

  constructor({ driver, dataDir, display, power, events, log, clock = systemWallClock }: RtcOptions) {
    this.#part = new Part('real-time clock', driver, log, 'HARDWARE_ERROR');
    this.#file = new StateFile({
      path: join(dataDir, 'rtc.json'),
      schema: { parse: (value) => scheduleOf(rtcCommands['rtc.setAlarm'].params.parse(value)) },
      defaults: DEFAULT_SCHEDULE,
      log,
    });
    this.#alarm = new WakeAlarm(this.#part, clock, log);
    this.#sleep = new PanelSleep({ display, power, events, log, clock });
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

  /** Takes up the schedule of the last run and sets the wake alarm. */
  async start(): Promise<void> {
    await this.#file.load();
    await this.#part.start();
    this.#announced = this.snapshot();
    await this.#keeper.start();
  }

  /** The display is left on and the wake alarm set. */
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

  /** The alarm for the first event of a listener; undefined where the board has no real-time clock. */
  snapshot(): AlarmState | undefined {
    return this.#part.present ? this.#state() : undefined;
  }

  /** Someone touched the screen: a sleeping panel wakes, and one that is awake in its sleep time stays so. */
  touched(): void {
    this.#keeper.touched();
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async alarm(): Promise<ResultOf<'rtc.alarm'>> {
    return this.#part.use(async () => this.#state());
  }

  /**
   * Answers once the wake alarm is set and the schedule is on disk; when either fails, nothing has changed.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, STORAGE_FULL
   */
  async setAlarm(
    params: ParamsOf<'rtc.setAlarm'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'rtc.setAlarm'>> {
    const schedule = scheduleOf(params);
    await this.#keeper.change(signal, async () => {
      const before = this.#file.value;
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

  /** After a change of the schedule, and after each edge, which moves `nextOn` or `nextOff`. */
  #announce(): void {
    const alarm = this.snapshot();
    if (isDeepStrictEqual(alarm, this.#announced)) return;
    this.#announced = alarm;
    if (alarm) this.#events.emit('rtc', alarm);
  }
}

function scheduleOf({ enabled, onTime, offTime, onDays }: ParamsOf<'rtc.setAlarm'>): Schedule {
  return { enabled, onTime, offTime, onDays };
}
