import { join } from 'node:path';
import { errnoError } from '../../platform/errno.ts';
import { readNumber } from '../climate/sysfs.ts';
import type { DeviceDriver } from '../device.ts';

/** A sensor that notices somebody before the panel. */
export interface ProximityDriver extends DeviceDriver {
  /** Whether somebody is near now. */
  isNear(): Promise<boolean>;
  /** Simulated sensors only: somebody comes or goes. */
  simulate?(isNear: boolean): void;
}

/** No person is near until `simulate` says so. */
export class SimulatedProximity implements ProximityDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #isNear = false;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async isNear(): Promise<boolean> {
    return this.#isNear;
  }

  simulate(isNear: boolean): void {
    this.#isNear = isNear;
  }
}

/** A person who was near counts as far only beyond the limit by this part of it: a value at the limit would wake for ever. */
const MARGIN = 0.1;

interface IioProximityOptions {
  /** Folder of the device, such as /sys/bus/iio/devices/iio:device1 */
  readonly path: string;
  /** Somebody is near from this value on, upwards: sensors that count reflected light. */
  readonly above?: number | undefined;
  /** Somebody is near from this value on, downwards: sensors that measure a distance. */
  readonly below?: number | undefined;
}

/** A sensor of the kernel's industrial I/O layer: `in_proximity_raw` (Documentation/ABI/testing/sysfs-bus-iio). */
export class IioProximity implements ProximityDriver {
  readonly name = 'iio';
  readonly path: string;
  readonly simulated = false;
  readonly #options: IioProximityOptions;
  #wasNear = false;

  constructor(options: IioProximityOptions) {
    this.path = options.path;
    this.#options = options;
  }

  /** @throws an errno exception: ENXIO (no such sensor) */
  async start(): Promise<void> {
    await this.#value();
  }

  async stop(): Promise<void> {}

  async isNear(): Promise<boolean> {
    const value = await this.#value();
    const { above, below } = this.#options;
    const margin = this.#wasNear ? MARGIN : 0;
    this.#wasNear =
      above !== undefined ? value >= above * (1 - margin) : value <= (below ?? 0) * (1 + margin);
    return this.#wasNear;
  }

  async #value(): Promise<number> {
    const read = (name: string) => readNumber(join(this.path, name));
    const value = (await read('in_proximity_raw')) ?? (await read('in_proximity_input'));
    if (value === undefined) throw errnoError('ENXIO', `${this.path} measures no proximity`);
    return value;
  }
}
