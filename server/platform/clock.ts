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
