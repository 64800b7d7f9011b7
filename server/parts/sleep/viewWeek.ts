import type { AlarmState } from './contract.ts';

/** The days as the schedule numbers them, in the order of a week that begins on Monday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;
const DAY = 1_440;

/** When the panel is awake on one day, in minutes from midnight. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

type Times = Pick<AlarmState, 'onTime' | 'offTime' | 'onDays'>;

/** When the panel is awake on each day, Sunday first: it wakes on its days, and sleeps on every day at the same time. */
export function awakeSpans({ onTime, offTime, onDays }: Times): readonly (readonly Span[])[] {
  const [on, off] = [minutesOf(onTime), minutesOf(offTime)];
  const spans: Span[][] = Array.from({ length: 7 }, () => []);
  // What the first week begins with is known at its end.
  let isAwake = false;
  for (const week of [0, 1])
    for (let day = 0; day < 7; day++) {
      const edges = [{ at: off, wakes: false }];
      if (onDays.length === 0 || onDays.includes(day)) edges.push({ at: on, wakes: true });
      let from = 0;
      for (const { at, wakes } of edges.sort((a, b) => a.at - b.at)) {
        if (isAwake && !wakes && week === 1 && at > from) spans[day]!.push({ from, to: at });
        if (wakes && !isAwake) from = at;
        isAwake = wakes;
      }
      if (isAwake && week === 1) spans[day]!.push({ from, to: DAY });
    }
  return spans;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}
