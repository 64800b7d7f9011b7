import { join } from 'node:path';
import { readNumber } from './attribute.ts';
import type { ClimateState } from './contract.ts';
import { SysfsClimate } from './sysfs.ts';

/**
 * A sensor of the kernel's monitoring of hardware, such as /sys/class/hwmon/hwmon0 (Documentation/hwmon/sysfs-interface.rst):
 * values in thousandths.
 */
export class HwmonClimate extends SysfsClimate {
  readonly name = 'hwmon';

  async read(): Promise<ClimateState> {
    return { temperature: await this.#value('temp1_input'), humidity: await this.#value('humidity1_input') };
  }

  async #value(attribute: string): Promise<number | null> {
    const value = await readNumber(join(this.path, attribute));
    return value === undefined ? null : value / 1_000;
  }
}
