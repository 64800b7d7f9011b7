import type { Clock } from '../../platform/clock.ts';
import type { Level } from './contract.ts';
import type { PinChange } from './driver.ts';

interface DebouncerOptions {
  readonly ms: number;
  readonly clock: Clock;
  /** The level that counts now; undefined while it is not known. */
  readonly levelOf: (pin: number) => Level | undefined;
  /** The wire has kept this level for long enough. */
  readonly settled: (change: PinChange) => void;
}

/** Lets a level of an input count only when the wire has kept it for a time: contacts bounce. */
export class Debouncer {
  readonly #options: DebouncerOptions;
  readonly #waiting = new Map<number, { readonly level: Level; readonly cancel: () => void }>();

  constructor(options: DebouncerOptions) {
    this.#options = options;
  }

  /** What a driver heard. */
  heard(change: PinChange): void {
    const { ms, clock, levelOf, settled } = this.#options;
    const { pin, level } = change;
    if (ms === 0) {
      settled(change);
      return;
    }
    if (this.#waiting.get(pin)?.level === level) return;
    this.forget(pin);
    if (levelOf(pin) === level) return;
    const cancel = clock.after(ms, () => {
      this.#waiting.delete(pin);
      settled(change);
    });
    this.#waiting.set(pin, { level, cancel });
  }

  /** The panel drives the pin itself. */
  forget(pin: number): void {
    this.#waiting.get(pin)?.cancel();
    this.#waiting.delete(pin);
  }

  stop(): void {
    for (const pin of [...this.#waiting.keys()]) this.forget(pin);
  }
}
