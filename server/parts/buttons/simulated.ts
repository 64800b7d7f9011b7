import type { ReaderDriver } from '../readers/driver.ts';
import type { ButtonChange, ButtonsDriver } from './driver.ts';

/** Buttons that are pressed only by `simulate`. */
export class SimulatedButtons implements ButtonsDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly names = [];
  #listener: (change: ButtonChange) => void = () => {};

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  onChange(listener: (change: ButtonChange) => void): void {
    this.#listener = listener;
  }

  simulate(change: ButtonChange): void {
    this.#listener(change);
  }
}

/** A reader that reads only what `simulate` gives it. */
export class SimulatedReader implements ReaderDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #listener: (text: string) => void = () => {};

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  onScan(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  simulate(text: string): void {
    this.#listener(text);
  }
}
