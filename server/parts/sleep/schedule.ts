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

/** @returns the next moment after `now` at which the panel goes to sleep; null without a schedule */
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
