import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Level, PinState } from '../../contract/gpio.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue } from '../../platform/callQueue.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import type { GpioDriver } from './driver.ts';

interface GpioOptions {
  /** null when the board has no pins. */
  readonly driver: GpioDriver | null;
  /** Names of the pins by number, for sentences. */
  readonly labels?: readonly string[] | undefined;
  readonly events: EventBus;
  readonly log: Logger;
}

/** Names of the pins when the board profile gives none. */
const PIN_NAMES = ['IO 1', 'IO 2', 'Relay 1', 'Relay 2'];

/** Drives and reads the pins and relays, and reads back what it drives. Calls are made one after the other. */
export class GpioService {
  readonly #part: Device<GpioDriver>;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #labels: readonly string[];
  readonly #queue = new CallQueue();
  /** Last level seen of each pin. */
  readonly #levels = new Map<number, Level>();

  constructor({ driver, labels = PIN_NAMES, events, log }: GpioOptions) {
    this.#part = new Device('GPIO part', driver, log);
    this.#labels = labels;
    this.#events = events;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#part.driver?.onChange?.((change) => this.#saw(change));
    await this.#part.start();
    if (!this.#part.present) return;
    for (const [pin, name] of this.#labels.entries()) {
      try {
        this.#levels.set(pin, await this.#part.use((driver) => driver.read(pin)));
      } catch (error) {
        this.#log.warn({ err: error }, `${name} could not be read at start`);
      }
    }
  }

  async stop(): Promise<void> {
    await this.#queue.idle();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** Last level seen of each pin, for the first event of a listener. */
  snapshot(): PinState[] {
    return [...this.#levels].map(([pin, level]) => ({ pin, level })).sort((a, b) => a.pin - b.pin);
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, CONFLICT, HARDWARE_ERROR (also when another level is read back) */
  write({ pin, level }: ParamsOf<'gpio.write'>, { signal }: CallContext): Promise<ResultOf<'gpio.write'>> {
    return this.#queue.run(signal, async () => {
      const actual = await this.#part.use(async (driver) => {
        await driver.write(pin, level);
        return driver.read(pin);
      });
      this.#saw({ pin, level: actual });
      if (actual !== level) {
        const sentence = `${this.#labels[pin]} was set to ${level} but reads ${actual}: check its wiring.`;
        throw new FaceplateError('HARDWARE_ERROR', sentence);
      }
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, CONFLICT, HARDWARE_ERROR */
  read({ pin }: ParamsOf<'gpio.read'>, { signal }: CallContext): Promise<ResultOf<'gpio.read'>> {
    return this.#queue.run(signal, async () => {
      const level = await this.#part.use((driver) => driver.read(pin));
      this.#saw({ pin, level });
      return { status: 'ok', pin, level, ok: true };
    });
  }

  /**
   * Changes a wire from outside.
   * @throws FaceplateError UNSUPPORTED_HARDWARE when the pins are real or absent
   */
  async simulate(change: PinState): Promise<void> {
    await this.#part.use(async (driver) => {
      if (!driver.simulate) {
        throw new FaceplateError(
          'UNSUPPORTED_HARDWARE',
          'The pins of this board are real: nothing to simulate.',
        );
      }
      driver.simulate(change);
    });
  }

  #saw({ pin, level }: PinState): void {
    if (this.#levels.get(pin) === level) return;
    this.#levels.set(pin, level);
    this.#events.emit('gpio', { pin, level });
  }
}
