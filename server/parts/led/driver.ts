import type { DeviceDriver } from '../device.ts';
import type { LedState } from './contract.ts';

/** An RGB LED bar. It cannot be read back, so the service stores the state. */
export interface LedDriver extends DeviceDriver {
  /** Shows the state; while `on` is false the bar is dark, whatever the colour. */
  apply(state: LedState): Promise<void>;
}

/** An LED bar in memory; like the real ones it forgets its state when the service ends. */
export class SimulatedLed implements LedDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #shown = { red: 0, green: 0, blue: 0 };

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async apply({ on, red, green, blue }: LedState): Promise<void> {
    this.#shown = on ? { red, green, blue } : { red: 0, green: 0, blue: 0 };
  }

  /** The light that an eye would see. */
  get shown(): { readonly red: number; readonly green: number; readonly blue: number } {
    return this.#shown;
  }
}
