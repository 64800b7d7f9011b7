import type { ProximityDriver } from './driver.ts';

/** Nobody is near, until `simulate` says so. */
export class SimulatedProximity implements ProximityDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #isNear = false;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async isNear(): Promise<boolean> {
    return this.#isNear;
  }

  simulate(isNear: boolean): void {
    this.#isNear = isNear;
  }
}
