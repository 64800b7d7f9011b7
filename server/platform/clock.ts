/** Time as services, hosts and media need it; replaced in tests so that they do not wait. */
export interface Clock {
  /** Milliseconds that never jump (not the time of day). */
  now(): number;
  /** @returns the function that cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Real time with timers that keep no process alive, for code that only watches. */
export const backgroundClock: Clock = {
  now: systemClock.now,
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Steady time and the time of day. The time of day jumps when the clock is set or the panel was suspended; steady time
 * does not.
 */
export interface WallClock extends Clock {
  /** Milliseconds since 1970. */
  wall(): number;
}

export const systemWallClock: WallClock = { ...systemClock, wall: () => Date.now() };

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
