import type { Clock } from '../../observe/clock.ts';
import type { PartDriver } from '../part.ts';

/**
 * A real-time clock that can wake the panel. All times are relative, so that it does not matter whether the clock runs
 * in UTC or in local time, nor how far it has drifted.
 */
export interface RtcDriver extends PartDriver {
  /**
   * Arms the wake alarm in place of an earlier one, and reads it back. It may go off up to a minute early.
   * @param seconds from now, at least 1
   * @throws an errno exception: EINVAL, ERANGE or EDOM where the clock cannot hold an alarm at that time
   */
  arm(seconds: number): Promise<void>;
  disarm(): Promise<void>;
  /** Seconds until the alarm; null where none is armed, or it has gone off. */
  remaining(): Promise<number | null>;
}

/** The panel's screen, as far as sleep is concerned. The host implements it. */
export interface Display {
  /** Dark until `wake`; a touch meanwhile is told to the service and never reaches the page. */
  sleep(): Promise<void>;
  wake(): Promise<void>;
}

/** What the service needs of the power part. */
export interface SuspendControl {
  /** Never fails: false where it cannot be told. */
  canSuspend(): Promise<boolean>;
  /** Resolves once the system has agreed; the panel stands still a moment later. */
  suspend(): Promise<void>;
}

/** Steady time and the time of day: the one jumps when the clock is set or the panel was suspended, the other does not. */
export interface WallClock extends Clock {
  /** Milliseconds since 1970. */
  wall(): number;
}
