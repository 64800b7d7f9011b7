import { isDeepStrictEqual } from 'node:util';
import type { ResultOf } from '../../contract/commands.ts';
import type { PartInfo } from '../../contract/system.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { Device, simulated } from '../device.ts';
import type { ClimateState } from './contract.ts';
import type { ClimateDriver } from './driver.ts';

/** How often the sensor is read, in milliseconds: air changes slowly, and a sensor that is read often warms itself. */
export const EVERY_MS = 10_000;

interface ClimateOptions {
  /** null where the board has no sensor. */
  readonly driver: ClimateDriver | null;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly log: Logger;
}

const UNKNOWN: ClimateState = { temperature: null, humidity: null };

/** Temperature and humidity: read every 10 s, and announced when a tenth has changed. */
export class ClimateService {
  readonly #part: Device<ClimateDriver>;
  readonly #options: ClimateOptions;
  #last: ClimateState = UNKNOWN;
  readonly #measured = { temperature: false, humidity: false };
  #reading: Promise<ClimateState> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;
  #isTroubled = false;

  constructor(options: ClimateOptions) {
    this.#options = options;
    this.#part = new Device('climate sensor', options.driver, options.log);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#part.start();
    if (this.#part.driver !== null) await this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#reading?.catch(() => undefined);
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** What the sensor has measured since the start: what it does not tell just now counts, too. */
  get measured(): { readonly temperature: boolean; readonly humidity: boolean } {
    return { ...this.#measured };
  }

  /** What was measured last, for the first event of a listener; undefined where the board has no sensor. */
  snapshot(): ClimateState | undefined {
    return this.#part.present ? this.#last : undefined;
  }

  /**
   * Measured now; callers who come meanwhile share the measurement.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, CONFLICT
   */
  state(): Promise<ResultOf<'climate.state'>> {
    this.#reading ??= this.#measure().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /**
   * Changes the air.
   * @throws FaceplateError UNSUPPORTED_HARDWARE when the sensor is real or absent
   */
  async simulate({ temperature, humidity }: ClimateState): Promise<void> {
    await this.#part.use(async (driver) => {
      simulated(driver, 'The sensor of this board is').simulate({ temperature, humidity });
    });
    await this.state();
  }

  async #look(): Promise<void> {
    try {
      await this.state();
    } catch (error) {
      if (!this.#isTroubled && this.#part.present)
        this.#options.log.warn({ err: error }, 'climate: could not read the sensor');
      this.#isTroubled = true;
    }
    if (!this.#isStopped) this.#cancel = this.#options.clock.after(EVERY_MS, () => void this.#look());
  }

  async #measure(): Promise<ClimateState> {
    try {
      const { temperature, humidity } = await this.#part.use((driver) => driver.read());
      this.#isTroubled = false;
      return this.#noted({
        temperature: inTenths(temperature, -100, 200),
        // A sensor in wet air may tell a little more than all.
        humidity: inTenths(humidity, 0, 100),
      });
    } catch (error) {
      // What was true before may be long ago.
      if (this.#part.present) this.#noted(UNKNOWN);
      throw error;
    }
  }

  #noted(state: ClimateState): ClimateState {
    for (const measure of ['temperature', 'humidity'] as const)
      if (state[measure] !== null) this.#measured[measure] = true;
    if (!isDeepStrictEqual(state, this.#last)) {
      this.#last = state;
      this.#options.events.emit('climate', state);
    }
    return state;
  }
}

function inTenths(value: number | null, lowest: number, highest: number): number | null {
  return value === null ? null : Math.min(highest, Math.max(lowest, Math.round(value * 10) / 10));
}
