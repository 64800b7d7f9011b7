import { CallQueue } from '../../platform/async.ts';
import { followSystemTimeZone, type WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { WakeAlarm } from './alarmTimer.ts';
import type { PanelSleep } from './panelSleep.ts';
import { nextOff, nextOn, type Schedule, shouldBeAwake } from './schedule.ts';

interface KeeperOptions {
  /** The schedule in force; null when none can be followed. Read at every look. */
  schedule(): Schedule | null;
  readonly alarm: WakeAlarm;
  readonly sleep: PanelSleep;
  readonly log: Logger;
  readonly clock: WallClock;
  /** Called after each look at the clock. */
  looked(): void;
}

/** How long a panel that is awake in its sleep time waits for a touch, in milliseconds. */
const UNTOUCHED_MS = 5 * 60_000;
/** Longest time between two looks at the clock. */
const LOOK_MS = 60_000;
/** The same while the panel may be suspended: meanwhile the steady clock and all timers stand still. */
const SUSPENDED_LOOK_MS = 1_000;
/** A larger difference between time of day and steady clock means that the clock was set, or the panel suspended. */
const JUMP_MS = 2_000;

const never = new AbortController().signal;

/**
 * Puts the panel to sleep and wakes it by the schedule. At an edge it acts at once. A panel that is awake in its sleep
 * time for any other reason (start, touch, clock set, new schedule) sleeps after five minutes without a touch.
 */
export class ScheduleKeeper {
  readonly #options: KeeperOptions;
  /** Looks at the clock, touches and changes of the schedule run one after the other. */
  readonly #queue = new CallQueue();
  #running = false;
  #cancelTimer: (() => void) | undefined;
  #lastLook = { wall: 0, steady: 0 };
  /** The next edge at which the panel goes to sleep, as known at the last look. */
  #offEdge: number | null = null;
  /** Steady time at which an untouched panel goes (back) to sleep; null when no such wait runs. */
  #sleepAt: number | null = null;
  #touchPending = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#running = true;
    this.#lastLook = this.#time();
    this.#offEdge = null;
    this.#sleepAt = null;
    await this.#inTurn(() => this.#look());
  }

  /** Leaves the display on. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#queue.idle();
    this.#cancelTimer?.();
    await this.#options.sleep.wake();
  }

  /**
   * Runs `work`, which may change the schedule, and then follows the schedule in force.
   * @throws the signal's reason, or what `work` throws
   */
  change(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    return this.#queue.run(signal, async () => {
      await work();
      await this.#look();
    });
  }

  /** A person touched the screen. Cheap: it may be called for every touch. */
  touched(): void {
    if (!this.#running || this.#touchPending) return;
    if (this.#options.sleep.state === 'awake') {
      if (this.#sleepAt !== null) this.#sleepAt = this.#time().steady + UNTOUCHED_MS;
      return;
    }
    this.#touchPending = true;
    void this.#inTurn(async () => {
      this.#touchPending = false;
      this.#sleepAt = null;
      await this.#options.sleep.wake();
      await this.#look();
    });
  }

  /** Work that no caller waits for. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    try {
      await this.#queue.run(never, work);
    } catch (error) {
      this.#options.log.error({ err: error }, 'sleep: could not follow the schedule');
      this.#lookWithin(LOOK_MS);
    }
  }

  /** Compares the actual state with the planned one, acts, and sets the timer for the next look. */
  async #look(): Promise<void> {
    if (!this.#running) return;
    followSystemTimeZone();
    const { alarm, sleep } = this.#options;
    const jumped = this.#noteTime();
    const { wall, steady } = this.#lastLook;
    const schedule = this.#options.schedule();
    const wakeAt = schedule && nextOn(schedule, wall);
    if (schedule) await alarm.keep(wakeAt);
    if (!schedule || shouldBeAwake(schedule, wall)) {
      this.#sleepAt = null;
      await sleep.wake();
    } else if (sleep.state === 'asleep' && sleep.suspended && jumped) {
      // Not woken by the schedule: the display stays dark, and the panel may be suspended again.
      sleep.resumed();
      this.#sleepAt = steady + UNTOUCHED_MS;
    } else if (this.#isTimeToSleep(jumped)) {
      this.#sleepAt = null;
      await sleep.sleep(await alarm.holds(wakeAt));
    }
    this.#offEdge = schedule && nextOff(schedule, wall);
    this.#lookAgain(wakeAt);
    this.#options.looked();
  }

  #isTimeToSleep(jumped: boolean): boolean {
    const { wall, steady } = this.#lastLook;
    if (this.#options.sleep.state === 'awake') {
      if (this.#offEdge !== null && this.#offEdge <= wall && !jumped) return true;
      this.#sleepAt ??= steady + UNTOUCHED_MS;
    }
    return this.#sleepAt !== null && this.#sleepAt <= steady;
  }

  /** @returns whether the time of day has jumped since the last look */
  #noteTime(): boolean {
    const before = this.#lastLook;
    const now = this.#time();
    this.#lastLook = now;
    const jump = now.wall - before.wall - (now.steady - before.steady);
    if (Math.abs(jump) <= JUMP_MS) return false;
    const seconds = Math.round(jump / 1000);
    this.#options.log.info(
      { seconds },
      'sleep: the time of day jumped, the clock was set or the panel was suspended',
    );
    return true;
  }

  /** At the next edge, at the end of the wait for a touch, and at the latest in a minute. */
  #lookAgain(wakeAt: number | null): void {
    const { wall, steady } = this.#time();
    const waits = [this.#options.sleep.suspended ? SUSPENDED_LOOK_MS : LOOK_MS];
    for (const edge of [wakeAt, this.#offEdge]) if (edge !== null) waits.push(edge - wall);
    if (this.#sleepAt !== null) waits.push(this.#sleepAt - steady);
    this.#lookWithin(Math.min(...waits));
  }

  #lookWithin(milliseconds: number): void {
    this.#cancelTimer?.();
    if (!this.#running) return;
    const wait = Math.max(1, Math.ceil(milliseconds));
    this.#cancelTimer = this.#options.clock.after(wait, () => void this.#inTurn(() => this.#look()));
  }

  #time(): { wall: number; steady: number } {
    return { wall: this.#options.clock.wall(), steady: this.#options.clock.now() };
  }
}
