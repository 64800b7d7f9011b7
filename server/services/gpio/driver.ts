import type { Level, PinState } from '../../contract/gpio.ts';
import type { PartDriver } from '../part.ts';

/** The pins and relays of a board, by their number on the API. */
export interface GpioDriver extends PartDriver {
  /** Makes the pin an output with this level. */
  write(pin: number, level: Level): Promise<void>;
  /** The level on the wire, of an output too. */
  read(pin: number): Promise<Level>;
  /** Drivers that notice a change of a wire by themselves tell it here. Set before `start`. */
  onChange?(listener: (change: PinState) => void): void;
  /** Simulated pins only: the outside world sets the wire. */
  simulate?(change: PinState): void;
}
