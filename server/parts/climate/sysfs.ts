import { errnoError } from '../../platform/errno.ts';
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
