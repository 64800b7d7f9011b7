import { FaceplateError } from '../../contract/errors.ts';
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

/** A clock in memory that is always right; the machine's own stays as it is. */
export class SimulatedTime implements TimeDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #timeZone = 'UTC';
  #ntp = true;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async state(): Promise<Omit<TimeState, 'now'>> {
    return { timeZone: this.#timeZone, ntp: this.#ntp, synchronized: this.#ntp };
  }

  async setTimeZone(timeZone: string): Promise<void> {
    try {
      // The list of Node holds the same names as that of the system.
      new Intl.DateTimeFormat('en', { timeZone });
    } catch (error) {
      throw new FaceplateError('INVALID_REQUEST', `There is no time zone ${timeZone}.`, {
        field: 'timeZone',
        cause: error,
      });
    }
    this.#timeZone = timeZone;
  }

  async setNtp(on: boolean): Promise<void> {
    this.#ntp = on;
  }
}
