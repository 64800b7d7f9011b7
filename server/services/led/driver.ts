import type { LedState } from '../../contract/led.ts';
import type { PartDriver } from '../part.ts';

/** An RGB LED bar. It cannot be read back: the service keeps the state. */
export interface LedDriver extends PartDriver {
  /** Shows the state; while `on` is false the bar is dark whatever the colour. */
  apply(state: LedState): Promise<void>;
}
