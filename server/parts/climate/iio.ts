import { join } from 'node:path';
import { readNumber } from './attribute.ts';
import type { ClimateState } from './contract.ts';
import { SysfsClimate } from './sysfs.ts';

/** Values of this layer are thousandths of a degree, and of a per cent. */
const MILLI = 1_000;

/**
 * A sensor of the kernel's industrial I/O layer, such as /sys/bus/iio/devices/iio:device0
 * (Documentation/ABI/testing/sysfs-bus-iio): each channel as an input, or as a raw value that needs its offset and scale.
 */
export class IioClimate extends SysfsClimate {
  readonly name = 'iio';

  async read(): Promise<ClimateState> {
    return {
      temperature: await this.#channel('in_temp'),
      humidity: await this.#channel('in_humidityrelative'),
    };
  }

  async #channel(name: string): Promise<number | null> {
    const attribute = (kind: string) => readNumber(join(this.path, `${name}_${kind}`));
    const input = await attribute('input');
    if (input !== undefined) return input / MILLI;
    const raw = await attribute('raw');
    if (raw === undefined) return null;
    const [offset = 0, scale = 1] = await Promise.all([attribute('offset'), attribute('scale')]);
    return ((raw + offset) * scale) / MILLI;
  }
}
