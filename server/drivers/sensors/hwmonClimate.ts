import { join } from 'node:path';
import type { ClimateState } from '../../contract/climate.ts';
import { errnoError } from '../../platform/errno.ts';
import type { ClimateDriver } from '../../services/climate/driver.ts';
import { readNumber } from './attribute.ts';

/** A sensor of the kernel's monitoring of hardware (Documentation/hwmon/sysfs-interface.rst): values in thousandths. */
export class HwmonClimate implements ClimateDriver {
  readonly name = 'hwmon';
  readonly path: string;
  readonly simulated = false;

  /** @param path folder of the device, such as /sys/class/hwmon/hwmon0 */
  constructor(path: string) {
    this.path = path;
  }

  /** @throws an errno exception: ENXIO (no such sensor, or one of something else) */
  async start(): Promise<void> {
    const { temperature, humidity } = await this.read();
    if (temperature === null && humidity === null)
      throw errnoError('ENXIO', `${this.path} measures neither temperature nor humidity`);
  }

  async stop(): Promise<void> {}

  async read(): Promise<ClimateState> {
    return { temperature: await this.#value('temp1_input'), humidity: await this.#value('humidity1_input') };
  }

  async #value(attribute: string): Promise<number | null> {
    const value = await readNumber(join(this.path, attribute));
    return value === undefined ? null : value / 1_000;
  }
}
