import type { PartInfo } from '../../contract/system.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { Device, simulated } from '../device.ts';
import type { ProximityDriver } from './driver.ts';

/** How often the sensor is read, in milliseconds: the panel is lit before a hand is at the glass. */
export const EVERY_MS = 250;
/** How long a sensor that fails is left alone, in milliseconds. */
const REST_MS = 10_000;

interface ProximityOptions {
  /** null where the board has no sensor. */
  readonly driver: ProximityDriver | null;
  readonly clock: Clock;
  /** Somebody uses the panel. */
  readonly activity: () => void;
  readonly log: Logger;
}

/** Who comes near wakes the panel, as a touch does. Who stays does not keep it awake: a thing before it would, for ever. */
export class ProximityService {
  readonly #part: Device<ProximityDriver>;
  readonly #options: ProximityOptions;
  #wasNear = false;
  #isStopped = false;
  #isTroubled = false;
  #looking: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: ProximityOptions) {
    this.#options = options;
    this.#part = new Device('proximity sensor', options.driver, options.log);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#part.start();
    if (this.#part.driver !== null) this.#lookIn(EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#looking;
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /**
   * Somebody comes or goes.
   * @throws FaceplateError UNSUPPORTED_HARDWARE when the sensor is real or absent
   */
  async simulate({ near }: { readonly near: boolean }): Promise<void> {
    await this.#part.use(async (driver) => {
      simulated(driver, 'The sensor of this board is').simulate(near);
    });
  }

  #lookIn(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(milliseconds, () => {
      this.#looking = this.#look().then((pause) => this.#lookIn(pause));
    });
  }

  /** @returns how long until the next look, in milliseconds */
  async #look(): Promise<number> {
    try {
      const isNear = await this.#part.use((driver) => driver.isNear());
      this.#isTroubled = false;
      const hasCome = isNear && !this.#wasNear;
      this.#wasNear = isNear;
      if (hasCome && !this.#isStopped) this.#options.activity();
      return EVERY_MS;
    } catch (error) {
      if (!this.#isTroubled && this.#part.present)
        this.#options.log.warn({ err: error }, 'proximity: could not read the sensor');
      this.#isTroubled = true;
      return REST_MS;
    }
  }
}
