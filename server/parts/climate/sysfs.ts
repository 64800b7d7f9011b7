import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { ClimateState } from './contract.ts';
import type { ClimateDriver } from './driver.ts';

/** A sensor that the kernel shows as a folder of numbers. */
export abstract class SysfsClimate implements ClimateDriver {
  abstract readonly name: string;
  readonly path: string;
  readonly simulated = false;

  /** @param path folder of the device */
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

  abstract read(): Promise<ClimateState>;
}

/**
 * The number in an attribute of /sys.
 * @returns undefined where there is none
 * @throws an errno exception: EIO (the sensor does not answer), EINVAL (no number)
 */
export async function readNumber(path: string): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw errnoError('EINVAL', `${path} holds no number`);
  return value;
}

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
