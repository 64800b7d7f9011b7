import { FaceplateError } from '../../contract/errors.ts';
import { BusError, SystemBus } from '../../platform/dbus/systemBus.ts';
import type { TimeState } from './contract.ts';
import type { TimeDriver } from './driver.ts';

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
