import type { DeviceDriver } from '../device.ts';
import type { Level, PinState, PinWiring } from './contract.ts';

/** A change on a wire, as a driver heard it. */
export interface PinChange extends PinState {
  /** How many edges it counts for, missed ones included; 1 when the driver cannot number them. */
  readonly edges?: number;
  /** When it was, in milliseconds since 1970; now when the driver does not know it. */
  readonly at?: number;
  /** The wire was stable for long enough: the driver has debounced it. */
  readonly isSettled?: boolean;
}

/** One pin of a board. */
export interface BoardPin {
  /** The label beside its connector. */
  readonly label: string;
  readonly kind: 'io' | 'relay';
}

/** The pins and relays of a board, by their number on the API. */
export interface GpioDriver extends DeviceDriver {
  /** How a program without the board profile reaches the pins; none: there is nothing to drive after the service. */
  readonly wiring?: PinWiring;
  /** Makes the pin an output with this level. */
  write(pin: number, level: Level): Promise<void>;
  /** The level on the wire, also of an output. */
  read(pin: number): Promise<Level>;
  /** Drivers that notice a change on a wire call this. Set before `start`. */
  onChange?(listener: (change: PinChange) => void): void;
  /** Simulated pins only: changes a wire from outside. */
  simulate?(change: PinState): void;
}

/** What the board profile says about outputs, and about the inputs' noise. */
export interface OutputRules {
  /** Pairs of pins that are never 1 together. */
  readonly interlock: readonly (readonly [number, number])[];
  /** By pin: longest time at level 1, in milliseconds. */
  readonly maxOnMs: Readonly<Partial<Record<number, number>>>;
  /** By pin: the level at start, at stop and when the page is lost. */
  readonly safe: Readonly<Partial<Record<number, Level>>>;
  /** Seconds after which a page counts as lost; null: never. */
  readonly safeAfterPageLost: number | null;
  /** How long an input has to keep a level until it counts, in milliseconds; 0: at once. */
  readonly debounceMs: number;
}

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
