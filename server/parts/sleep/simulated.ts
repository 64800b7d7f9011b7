import type { RtcDriver } from './driver.ts';

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
