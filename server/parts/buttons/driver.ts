import type { DeviceDriver } from '../device.ts';
import type { ButtonEvent } from './contract.ts';

/** A button that went down or up. */
export type ButtonChange = ButtonEvent;

/** The buttons beside the glass. */
export interface ButtonsDriver extends DeviceDriver {
  /** The names that the board profile gives. */
  readonly names: readonly string[];
  /** Told of each change. Set before `start`. */
  onChange(listener: (change: ButtonChange) => void): void;
  /** Simulated buttons only. */
  simulate?(change: ButtonChange): void;
}
