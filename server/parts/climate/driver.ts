import type { DeviceDriver } from '../device.ts';
import type { ClimateState } from './contract.ts';

/** A sensor of temperature, humidity, or both. */
export interface ClimateDriver extends DeviceDriver {
  /** What it measures now; null for what it does not measure. Not rounded. */
  read(): Promise<ClimateState>;
  /** Simulated sensors only: changes the air. */
  simulate?(state: ClimateState): void;
}
