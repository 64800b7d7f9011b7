import type { Level, PinState } from '../../contract/gpio.ts';
import type { GpioDriver } from '../../services/gpio/driver.ts';

/** Four pins in memory: all low and open at start, outputs read back, wires change from outside by `simulate`. */
export class SimulatedGpio implements GpioDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #levels: Level[] = [0, 0, 0, 0];
  #listener: (change: PinState) => void = () => undefined;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async write(pin: number, level: Level): Promise<void> {
    this.#levels[pin] = level;
  }

  async read(pin: number): Promise<Level> {
    return this.#levels[pin] ?? 0;
  }

  onChange(listener: (change: PinState) => void): void {
    this.#listener = listener;
  }

  simulate({ pin, level }: PinState): void {
    this.#levels[pin] = level;
    this.#listener({ pin, level });
  }
}
