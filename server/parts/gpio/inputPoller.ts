import type { Clock } from '../../platform/clock.ts';
import type { Level, PinState } from './contract.ts';

/** Time between two reads of the inputs, in milliseconds: short for a finger on a bell button, cheap for the CPU. */
const INPUT_POLL_MS = 100;

interface InputPollerOptions {
  readonly pins: () => readonly number[];
  readonly read: (pin: number) => Level;
  readonly clock: Clock;
}

/** Reads input pins regularly and reports which level has changed since the last read. */
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

  /** Does nothing without a listener. The first read only learns the levels. */
  start(): void {
    if (!this.#listener || this.#options.pins().length === 0 || this.#cancel) return;
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#seen.clear();
  }

  #look(): void {
    this.#cancel = this.#options.clock.after(INPUT_POLL_MS, () => this.#look());
    for (const pin of this.#options.pins()) {
      let level: Level;
      try {
        level = this.#options.read(pin);
      } catch {
        // The next call meets the same failure and reports it; here it would be reported ten times a
        // second.
        continue;
      }
      const before = this.#seen.get(pin);
      this.#seen.set(pin, level);
      if (before !== undefined && before !== level) this.#listener?.({ pin, level });
    }
  }
}
