import type { DeviceDriver } from '../device.ts';

/** A sensor that notices somebody before the panel. */
export interface ProximityDriver extends DeviceDriver {
  /** Whether somebody is near now. */
  isNear(): Promise<boolean>;
  /** Simulated sensors only: somebody comes or goes. */
  simulate?(isNear: boolean): void;
}
