import type { LedState } from './contract.ts';
import type { LedDriver } from './driver.ts';

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
