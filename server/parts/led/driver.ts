import type { DeviceDriver } from '../device.ts';
import type { LedState } from './contract.ts';

/** An RGB LED bar. It cannot be read back, so the service stores the state. */
export interface LedDriver extends DeviceDriver {
  /** Shows the state; while `on` is false the bar is dark, whatever the colour. */
  apply(state: LedState): Promise<void>;
}
