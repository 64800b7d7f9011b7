import type { Level, PinState } from '../contract.ts';
import type { GpioDriver, PinChange } from '../driver.ts';

/** Pins that something else can hold, that fail, and that tell of each step of a write. */
export class FakePins implements GpioDriver {
  readonly name = 'fake';
  readonly path = '/dev/fake-gpio';
  readonly simulated = false;
  readonly levels: Level[] = [0, 0, 1, 0];
  readonly calls: string[] = [];
  stuck: number | undefined;
  fails: Error | undefined;
  listener: ((change: PinChange) => void) | undefined;
  /** Called just before and just after a pin moves. */
  onMove: (when: 'before' | 'after', move: PinState) => void = () => {};
  /** What the driver does by itself at start and at stop. */
  rest: readonly PinState[] = [];
  stops = 0;

  readonly #isQuick: boolean;

  /** @param options `isQuick`: it answers at once and keeps no list of calls */
  constructor({ isQuick = false } = {}) {
    this.#isQuick = isQuick;
  }

  async start(): Promise<void> {
    for (const { pin, level } of this.rest) this.#move({ pin, level });
  }

  async stop(): Promise<void> {
    this.stops++;
    for (const { pin, level } of this.rest) this.#move({ pin, level });
  }

  async write(pin: number, level: Level): Promise<void> {
    await this.#called(`write ${pin} ${level}`);
    if (this.fails) throw this.fails;
    this.#move({ pin, level });
  }

  async read(pin: number): Promise<Level> {
    await this.#called(`read ${pin}`);
    if (this.fails) throw this.fails;
    return this.levels[pin] ?? 0;
  }

  onChange(listener: (change: PinChange) => void): void {
    this.listener = listener;
  }

  async #called(call: string): Promise<void> {
    if (this.#isQuick) return;
    await new Promise(setImmediate);
    this.calls.push(call);
  }

  #move({ pin, level }: PinState): void {
    this.onMove('before', { pin, level });
    if (pin !== this.stuck) this.levels[pin] = level;
    this.onMove('after', { pin, level });
  }
}
