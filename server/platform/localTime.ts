/** @returns ISO 8601 in local time with its offset, to the second: `2026-03-29T07:00:00+02:00` */
export function localIso(moment: number): string {
  const date = new Date(moment);
  const offset = -date.getTimezoneOffset();
  const local = new Date(moment + offset * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

/**
 * Applies a time zone that was changed while the service runs (`timedatectl set-timezone`). Node looks the zone up
 * once, and again only when the variable TZ is touched. When TZ is set, it decides and nothing is looked up.
 */
export function followSystemTimeZone(): void {
  if (process.env.TZ === undefined) delete process.env.TZ;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
