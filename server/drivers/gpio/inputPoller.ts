import type { Level, PinState } from '../../contract/gpio.ts';
import type { Clock } from '../../observe/clock.ts';

/** Time between two looks at the inputs, in milliseconds: short to a finger on a bell button, nothing to the CPU. */
export const INPUT_POLL_MS = 100;

interface InputPollerOptions {
  readonly pins: readonly number[];
  readonly read: (pin: number) => Level;
  readonly clock: Clock;
}

/** Looks at input pins regularly and tells which level has changed since the last look. */
export class InputPoller {
  readonly #options: InputPollerOptions;
  readonly #seen = new Map<number, Level>();
  #listener: ((change: PinState) => void) | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: InputPollerOptions) {
    this.#options = options;
  }

  set listener(listener: (change: PinState) => void) {
    this.#listener = listener;
  }

  /** Does nothing where nobody listens. The first look only learns the levels. */
  start(): void {
    if (!this.#listener || this.#options.pins.length === 0 || this.#cancel) return;
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#seen.clear();
  }

  #look(): void {
    this.#cancel = this.#options.clock.after(INPUT_POLL_MS, () => this.#look());
    for (const pin of this.#options.pins) {
      let level: Level;
      try {
        level = this.#options.read(pin);
      } catch {
        // The next call of a caller meets the same failure and reports it; here it would be told ten times a second.
        continue;
      }
      const before = this.#seen.get(pin);
      this.#seen.set(pin, level);
      if (before !== undefined && before !== level) this.#listener?.({ pin, level });
    }
  }
}
