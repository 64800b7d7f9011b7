import type { Rotation } from './contract.ts';

/** The light behind the screen. It may come and go while the service runs. */
export interface BacklightDriver {
  /** @returns percent, where 0 is the lowest light that can be read; null where there is no backlight now */
  read(): Promise<number | null>;
  /** @param percent 0 to 100 @returns false where there is no backlight now */
  write(percent: number): Promise<boolean>;
  /** Switches the light, and leaves the brightness as it is. @returns false where nothing can switch it now */
  light(on: boolean): Promise<boolean>;
}

export interface Volume {
  /** 0 to 100. */
  readonly percent: number;
  readonly muted: boolean;
}

/** The default output of the sound. */
export interface VolumeDriver {
  /** @returns null where there is no output now */
  read(): Promise<Volume | null>;
  /** @param percent 0 to 100 */
  write(percent: number): Promise<void>;
  mute(muted: boolean): Promise<void>;
}

/** What drives the screen: a compositor or an X server, which may come later than the service. */
export interface OutputDriver {
  /** Turns screen and touch so whenever it comes later, or anew. */
  start?(rotation: Rotation): void;
  stop?(): void;
  /**
   * Switches the signal to the screen.
   * @param onTouch called at each touch without a signal, where the driver hears it: the windows may hear none then
   * @returns false where nothing can do it now
   */
  power(on: boolean, onTouch?: () => void): Promise<boolean>;
  /** Turns picture and touch, clockwise. @returns false where nothing can do it now */
  rotate(rotation: Rotation): Promise<boolean>;
}

/** The window of the kiosk page. */
export interface DisplayWindow {
  /** Black until `wake`. @param onTouch called once, at the first touch meanwhile, which never reaches the page */
  sleep(onTouch: () => void): Promise<void>;
  wake(): Promise<void>;
  /** Also of every later page and window. @throws FaceplateError UNSUPPORTED_HARDWARE (no window) */
  zoom(factor: number): Promise<void>;
  /**
   * After a turn of the output: fills the screen anew. Where no screen is, it turns the page itself.
   * @param isTurned whether the output has turned
   * @returns false where the page cannot be turned
   */
  turn(rotation: Rotation, isTurned: boolean): Promise<boolean>;
}

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
