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
