import type { Clock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { PcmFormat, SoundDriver, SoundOutput } from './driver.ts';

/** Milliseconds of sound that the silent device holds. */
const BUFFER_MS = 300;

/**
 * The loudspeaker of a simulated board: that of this machine where it has one, so that one hears at the desk what the
 * panel does; elsewhere a silent one that takes exactly as long.
 */
export class SimulatedSound implements SoundDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #real: SoundDriver;
  readonly #clock: Clock;
  #isHeard = false;

  constructor(real: SoundDriver, clock: Clock) {
    this.#real = real;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#isHeard = await this.#real.start().then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) === undefined) throw error;
        return false;
      },
    );
  }

  stop(): Promise<void> {
    return this.#real.stop();
  }

  async open(format: PcmFormat): Promise<SoundOutput> {
    return this.#isHeard ? this.#real.open(format) : new SilentOutput(format, this.#clock);
  }
}

/** Takes samples as fast as a loudspeaker does. */
class SilentOutput implements SoundOutput {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When the last sample will have been heard. */
  #until: number;
  #wake: (() => void) | undefined;
  #isCut = false;

  constructor({ rate, channels }: PcmFormat, clock: Clock) {
    this.#bytesPerMs = (rate * channels * 2) / 1_000;
    this.#clock = clock;
    this.#until = clock.now();
  }

  async write(samples: Uint8Array): Promise<void> {
    this.#until = Math.max(this.#until, this.#clock.now()) + samples.length / this.#bytesPerMs;
    await this.#wait(this.#until - this.#clock.now() - BUFFER_MS);
  }

  async end(): Promise<void> {
    await this.#wait(this.#until - this.#clock.now());
  }

  cut(): void {
    this.#isCut = true;
    this.#wake?.();
  }

  #wait(milliseconds: number): Promise<void> {
    if (this.#isCut || milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
