import type { DeviceDriver } from '../device.ts';

/**
 * A real-time clock that can wake the panel. All times are relative, so it does not matter whether the clock runs in
 * UTC or in local time, nor how far it has drifted.
 */
export interface RtcDriver extends DeviceDriver {
  /**
   * Sets the wake alarm in place of an earlier one, and reads it back. It may go off up to a minute early.
   * @param seconds from now, at least 1
   * @throws an errno exception: EINVAL, ERANGE or EDOM when the clock cannot hold an alarm at that time
   */
  arm(seconds: number): Promise<void>;
  disarm(): Promise<void>;
  /** Seconds until the alarm; null when none is set, or it has gone off. */
  remaining(): Promise<number | null>;
}

/** The panel's screen, as far as sleep is concerned. The host implements it. */
export interface Display {
  /** Dark until `wake`. @param onTouch called once, at the first touch meanwhile, which never reaches the page */
  sleep(onTouch: () => void): Promise<void>;
  wake(): Promise<void>;
}

/** What the service needs from the power part. */
export interface SuspendControl {
  /** Never fails: false when the system does not say. */
  canSuspend(): Promise<boolean>;
  /** Resolves once the system has agreed; the panel is suspended a moment later. */
  suspend(): Promise<void>;
}

/** A real-time clock in memory. Its alarm wakes nothing: the service never suspends a panel on it. */
export class SimulatedRtc implements RtcDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #now: () => number;
  #alarm: number | null = null;

  /** @param now milliseconds that never jump */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async arm(seconds: number): Promise<void> {
    this.#alarm = this.#now() + seconds * 1000;
  }

  async disarm(): Promise<void> {
    this.#alarm = null;
  }

  async remaining(): Promise<number | null> {
    if (this.#alarm === null) return null;
    const seconds = Math.round((this.#alarm - this.#now()) / 1000);
    return seconds > 0 ? seconds : null;
  }
}
