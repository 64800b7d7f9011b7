import type { Level, PinState } from './contract.ts';
import type { GpioDriver } from './driver.ts';

/** Pins in memory: all low and open at start, outputs read back, wires change from outside by `simulate`. */
export class SimulatedGpio implements GpioDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #levels: Level[];
  readonly #safeLevels: Readonly<Partial<Record<number, Level>>>;
  #listener: (change: PinState) => void = () => undefined;

  /**
   * @param safeLevels by pin: the levels at start and at stop
   * @param count how many pins there are
   */
  constructor(safeLevels: Readonly<Partial<Record<number, Level>>> = {}, count = 4) {
    this.#levels = Array.from({ length: count }, () => 0);
    this.#safeLevels = safeLevels;
  }

  async start(): Promise<void> {
    this.#rest();
  }

  async stop(): Promise<void> {
    this.#rest();
  }

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

  #rest(): void {
    for (const [pin, level] of Object.entries(this.#safeLevels)) this.#levels[Number(pin)] = level as Level;
  }
}
