import type { DeviceDriver } from '../device.ts';
import type { ClimateState } from './contract.ts';

/** A sensor of temperature, humidity, or both. */
export interface ClimateDriver extends DeviceDriver {
  /** What it measures now; null for what it does not measure. Not rounded. */
  read(): Promise<ClimateState>;
  /** Simulated sensors only: changes the air. */
  simulate?(state: ClimateState): void;
}

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
