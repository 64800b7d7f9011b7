import { type Clock, systemClock as real } from '../observe/clock.ts';

/** Time and chance as the media layer needs them; replaced in tests so that they do not wait. */
export interface MediaClock extends Clock {
  /** From 0 up to, but not including, 1. */
  random(): number;
}

export const systemClock: MediaClock = { ...real, random: () => Math.random() };
