import { CallQueue } from '../../platform/async.ts';
import { followSystemTimeZone, type WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { WakeAlarm } from './alarmTimer.ts';
import type { PanelSleep } from './panelSleep.ts';

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
  /** The next edge at which the panel falls asleep, as known at the last look. */
  #offEdge: number | null = null;
  /** Steady time at which an untouched panel falls asleep (again); null when no such wait runs. */
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

/** When the panel should be awake. Times are local, `HH:MM`. */
export interface Schedule {
  readonly enabled: boolean;
  readonly onTime: string;
  /** When not later than `onTime`, it belongs to the next day. */
  readonly offTime: string;
  /** Days of `onTime`, 0 = Sunday to 6; empty = every day. */
  readonly onDays: readonly number[];
}

/** A time in which the panel is awake, in milliseconds since 1970; `off` is the first moment of sleep. */
interface AwakeSpan {
  readonly on: number;
  readonly off: number;
}

/** A current span began at most two days ago: one day, and an overnight end moved by a clock change. */
const DAYS_BACK = 2;
/** With one day a week the next span is a week ahead, or two when a clock change swallows it. */
const DAYS_AHEAD = 15;

/** @returns the next moment after `now` at which the panel wakes; null without a schedule */
export function nextOn(schedule: Schedule, now: number): number | null {
  for (const { on } of spansAround(schedule, now)) if (on > now) return on;
  return null;
}

/** @returns the next moment after `now` at which the panel falls asleep; null without a schedule */
export function nextOff(schedule: Schedule, now: number): number | null {
  for (const { off } of spansAround(schedule, now)) if (off > now) return off;
  return null;
}

/** Whether the panel is awake at `now`; without a schedule it always is. */
export function shouldBeAwake(schedule: Schedule, now: number): boolean {
  if (!schedule.enabled) return true;
  for (const { on, off } of spansAround(schedule, now)) if (off > now) return on <= now;
  return false;
}

/** The spans around `now` in order, with gaps between them; computed one by one on demand. */
function* spansAround(schedule: Schedule, now: number): Generator<AwakeSpan> {
  if (!schedule.enabled) return;
  const today = new Date(now);
  let span: AwakeSpan | undefined;
  for (let day = -DAYS_BACK; day <= DAYS_AHEAD; day++) {
    const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate() + day, 12);
    if (schedule.onDays.length > 0 && !schedule.onDays.includes(noon.getDay())) continue;
    const next = spanOf(schedule, noon);
    // A clock change can reverse the edges of a short span: then the panel sleeps on.
    if (next.off <= next.on) continue;
    if (span && next.on <= span.off) {
      span = { on: span.on, off: Math.max(span.off, next.off) };
    } else {
      if (span) yield span;
      span = next;
    }
  }
  if (span) yield span;
}

function spanOf({ onTime, offTime }: Schedule, day: Date): AwakeSpan {
  return { on: momentOf(day, 0, onTime), off: momentOf(day, offTime <= onTime ? 1 : 0, offTime) };
}

/**
 * A local time as a moment. A time that a clock change skips counts with the offset before the change, so it moves
 * forward; for a time that occurs twice the first one counts (ECMA-262 "LocalTime", RFC 5545 section 3.3.5).
 */
function momentOf(day: Date, daysLater: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater, hours, minutes).getTime();
}
