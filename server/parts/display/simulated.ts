import type { Rotation } from './contract.ts';
import type { BacklightDriver, OutputDriver, Volume, VolumeDriver } from './driver.ts';

/** A backlight that only remembers. */
export class SimulatedBacklight implements BacklightDriver {
  #percent: number;
  /** Whether the light is on. */
  isLit = true;

  constructor(percent: number) {
    this.#percent = percent;
  }

  async read(): Promise<number> {
    return this.#percent;
  }

  async write(percent: number): Promise<boolean> {
    this.#percent = percent;
    return true;
  }

  async light(on: boolean): Promise<boolean> {
    this.isLit = on;
    return true;
  }
}

/** A volume that only remembers. */
export class SimulatedVolume implements VolumeDriver {
  #volume: Volume;

  constructor(percent: number) {
    this.#volume = { percent, muted: false };
  }

  async read(): Promise<Volume> {
    return this.#volume;
  }

  async write(percent: number): Promise<void> {
    this.#volume = { ...this.#volume, percent };
  }

  async mute(muted: boolean): Promise<void> {
    this.#volume = { ...this.#volume, muted };
  }
}

/** An output that nothing can turn or switch: the window does what it can. */
export class NoOutput implements OutputDriver {
  async power(_on: boolean): Promise<boolean> {
    return false;
  }

  async rotate(_rotation: Rotation): Promise<boolean> {
    return false;
  }
}
