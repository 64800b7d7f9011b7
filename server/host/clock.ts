import { type Clock, systemClock as real } from '../observe/clock.ts';

export type { Clock };

/** Real time. A timer of a host keeps no process alive. */
export const systemClock: Clock = {
  now: real.now,
  after(ms, action) {
    const timer = setTimeout(action, ms).unref();
    return () => clearTimeout(timer);
  },
};
