import type { ProximityDriver } from '../proximity/driver.ts';
import type { ClimateState } from './contract.ts';
import type { ClimateDriver } from './driver.ts';

/** The air of a room, which changes only by `simulate`. */
export class SimulatedClimate implements ClimateDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #state: ClimateState = { temperature: 21.5, humidity: 45 };

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async read(): Promise<ClimateState> {
    return this.#state;
  }

  simulate(state: ClimateState): void {
    this.#state = state;
  }
}

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
