import type { Level, PinState } from '../../contract/gpio.ts';
import type { DeviceDriver } from '../device.ts';

/** The pins and relays of a board, by their number on the API. */
export interface GpioDriver extends DeviceDriver {
  /** Makes the pin an output with this level. */
  write(pin: number, level: Level): Promise<void>;
  /** The level on the wire, also of an output. */
  read(pin: number): Promise<Level>;
  /** Drivers that notice a change on a wire call this. Set before `start`. */
  onChange?(listener: (change: PinState) => void): void;
  /** Simulated pins only: changes a wire from outside. */
  simulate?(change: PinState): void;
}
