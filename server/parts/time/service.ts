import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue } from '../../platform/async.ts';
import type { Logger } from '../../platform/log.ts';
import { Device } from '../device.ts';
import type { TimeDriver } from './driver.ts';

interface TimeOptions {
  /** null where the board profile leaves the clock out. */
  readonly driver: TimeDriver | null;
  readonly log: Logger;
}

const never = new AbortController().signal;

/** Time zone and clock of the panel. One change at a time, all of it or nothing. */
export class TimeService {
  readonly #part: Device<TimeDriver>;
  readonly #log: Logger;
  readonly #queue = new CallQueue();

  constructor({ driver, log }: TimeOptions) {
    this.#part = new Device('clock control', driver, log);
    this.#log = log;
  }

  start(): Promise<void> {
    return this.#part.start();
  }

  async stop(): Promise<void> {
    await this.#part.stop();
    await this.#queue.idle();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async state(): Promise<ResultOf<'time.state'>> {
    const state = await this.#part.use((driver) => driver.state());
    return { now: new Date().toISOString(), ...state };
  }

  /** @throws FaceplateError INVALID_REQUEST (no such time zone), UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async change({ timeZone, ntp }: ParamsOf<'time.change'>): Promise<ResultOf<'time.change'>> {
    return this.#queue.run(never, async () => {
      await this.#part.use(async (driver) => {
        const before = await driver.state();
        if (timeZone !== undefined) await driver.setTimeZone(timeZone);
        try {
          if (ntp !== undefined) await driver.setNtp(ntp);
        } catch (error) {
          if (timeZone !== undefined) await driver.setTimeZone(before.timeZone);
          throw error;
        }
      });
      this.#log.info({ timeZone, ntp }, 'time: clock settings changed');
      return this.state();
    });
  }
}
