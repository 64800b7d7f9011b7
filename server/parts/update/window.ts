/** One window of `update.window`, in milliseconds since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * The window that a moment lies in, or the next one. Its ends are local times of day, so that it moves with summer time.
 * @param text as the setting `update.window`: `02:00-04:00`; it may pass midnight
 * @param moment milliseconds since 1970
 */
export function windowAt(text: string, moment: number): Window {
  const [begin, end] = text.split('-').map((time) => time.split(':').map(Number) as [number, number]);
  // It may have begun yesterday.
  for (let day = -1; ; day++) {
    const from = localTime(moment, day, begin!);
    const isPastMidnight = end![0] * 60 + end![1] < begin![0] * 60 + begin![1];
    const to = localTime(moment, isPastMidnight ? day + 1 : day, end!);
    if (to > moment) return { from, to };
  }
}

/** A time of day, so many days after that of a moment. */
function localTime(moment: number, days: number, [hours, minutes]: readonly [number, number]): number {
  const date = new Date(moment);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hours, minutes).getTime();
}
