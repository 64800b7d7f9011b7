import { FaceplateError } from '../../contract/errors.ts';
import { BusError, SystemBus } from '../../platform/dbus/systemBus.ts';
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

const TIMEDATED = [
  'org.freedesktop.timedate1',
  '/org/freedesktop/timedate1',
  'org.freedesktop.timedate1',
] as const;

/**
 * The system's clock through systemd-timedated (org.freedesktop.timedate1(5)). A service that is not root needs polkit's
 * permission for org.freedesktop.timedate1.set-timezone and .set-ntp.
 */
export class Timedated implements TimeDriver {
  readonly name = 'timedated';
  readonly path = null;
  readonly simulated = false;
  readonly #bus: SystemBus;

  constructor(limitMs?: number) {
    this.#bus = new SystemBus(limitMs);
  }

  /** @throws an errno exception: ENOENT (no system bus), ENODEV (no timedated), or another one that prevents it */
  async start(): Promise<void> {
    await this.state();
  }

  async stop(): Promise<void> {
    await this.#bus.close();
  }

  async state(): Promise<Omit<TimeState, 'now'>> {
    const { Timezone, NTP, NTPSynchronized } = await this.#bus.properties(TIMEDATED);
    return {
      // An empty one: /etc/localtime is missing, which is UTC (localtime(5)).
      timeZone: String(Timezone?.value || 'UTC'),
      ntp: NTP?.value === true,
      synchronized: NTPSynchronized?.value === true,
    };
  }

  async setTimeZone(timeZone: string): Promise<void> {
    try {
      await this.#bus.call(TIMEDATED, 'SetTimezone', 'sb', timeZone, false);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (!/InvalidArgs|NoSuchTimezone/i.test(error.kind)) throw failed('the time zone', error);
      throw new FaceplateError('INVALID_REQUEST', `There is no time zone ${timeZone}.`, {
        field: 'timeZone',
        cause: error,
      });
    }
  }

  async setNtp(on: boolean): Promise<void> {
    try {
      await this.#bus.call(TIMEDATED, 'SetNTP', 'bb', on, false);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (!/NoNTPSupport/i.test(error.kind)) throw failed('the clock', error);
      throw new FaceplateError(
        'UNSUPPORTED_HARDWARE',
        'This panel has nothing that sets its clock by the network.',
        {
          cause: error,
        },
      );
    }
  }
}

function failed(what: string, error: BusError): FaceplateError {
  return new FaceplateError('HARDWARE_ERROR', `The system did not set ${what}: ${error.message}.`, {
    cause: error,
  });
}
