import type { DeviceDriver } from '../device.ts';
import type { TimeState } from './contract.ts';

/** The clock of the system. */
export interface TimeDriver extends DeviceDriver {
  state(): Promise<Omit<TimeState, 'now'>>;
  /** @throws FaceplateError INVALID_REQUEST for a zone that the system does not know */
  setTimeZone(timeZone: string): Promise<void>;
  /** @throws FaceplateError UNSUPPORTED_HARDWARE where nothing can set the clock by the network */
  setNtp(on: boolean): Promise<void>;
}
