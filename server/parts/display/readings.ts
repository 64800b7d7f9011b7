import { inTime } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { BacklightDriver, VolumeDriver } from './driver.ts';

/** How long a caller waits for one part, in milliseconds; then it gets what was read last. */
const LIMIT_MS = 2_000;

export interface Reading {
  readonly brightness: number | null;
  readonly volume: number | null;
  readonly muted: boolean;
}

interface ReadingsOptions {
  readonly backlight: BacklightDriver;
  readonly volume: VolumeDriver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the hardware said last. However many ask, it is asked once at a time. */
export class Readings {
  readonly #options: ReadingsOptions;
  #last: Reading = { brightness: null, volume: null, muted: false };
  #asking: Promise<void> | undefined;
  /** Counts what was set, so that an older answer does not undo it. */
  #changes = 0;
  /** What could not be read, so that a lasting fault makes one line. */
  readonly #failed = new Set<string>();

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  get last(): Reading {
    return this.#last;
  }

  /** Asks the hardware; never fails. */
  async fresh(): Promise<Reading> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
    return this.#last;
  }

  noteBrightness(brightness: number): void {
    this.#changes++;
    this.#last = { ...this.#last, brightness };
  }

  noteVolume({ volume, muted }: { volume?: number | undefined; muted?: boolean | undefined }): void {
    this.#changes++;
    this.#last = {
      ...this.#last,
      ...(volume !== undefined && { volume }),
      ...(muted !== undefined && { muted }),
    };
  }

  async #ask(): Promise<void> {
    const changes = this.#changes;
    const { backlight, volume } = this.#options;
    const [light, sound] = await Promise.all([
      this.#read('brightness', () => backlight.read()),
      this.#read('volume', () => volume.read()),
    ]);
    if (changes !== this.#changes) return;
    this.#last = {
      brightness: light === undefined ? this.#last.brightness : light,
      volume: sound === undefined ? this.#last.volume : (sound?.percent ?? null),
      muted: sound === undefined ? this.#last.muted : (sound?.muted ?? false),
    };
  }

  /** @returns undefined when it failed, or did not answer in time */
  async #read<T>(name: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await inTime(this.#options.clock, LIMIT_MS, read());
      this.#failed.delete(name);
      return value;
    } catch (error) {
      if (!this.#failed.has(name))
        this.#options.log.warn({ err: error, reading: name }, 'display: could not read');
      this.#failed.add(name);
      return undefined;
    }
  }
}
