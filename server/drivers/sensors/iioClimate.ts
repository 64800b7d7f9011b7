import { join } from 'node:path';
import type { ClimateState } from '../../contract/climate.ts';
import { errnoError } from '../../platform/errno.ts';
import type { ClimateDriver } from '../../services/climate/driver.ts';
import { readNumber } from './attribute.ts';

/** Values of this layer are thousandths of a degree, and of a per cent. */
const MILLI = 1_000;

/**
 * A sensor of the kernel's industrial I/O layer (Documentation/ABI/testing/sysfs-bus-iio): each channel as an input, or as
 * a raw value that needs its offset and scale.
 */
export class IioClimate implements ClimateDriver {
  readonly name = 'iio';
  readonly path: string;
  readonly simulated = false;

  /** @param path folder of the device, such as /sys/bus/iio/devices/iio:device0 */
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
