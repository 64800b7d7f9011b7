import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { Level, PinState, PinWiring } from './contract.ts';
import { driveNode, readNode } from './controlNode.ts';
import type { GpioDriver } from './driver.ts';
import { InputPoller } from './inputPoller.ts';

/** Safe levels by pin: applied at start and at stop. */
export type SafeLevels = Readonly<Partial<Record<number, Level>>>;

interface GpioControlOptions {
  readonly path: string;
  /** The pins whose level can change from outside. */
  readonly inputs: readonly number[];
  readonly safeLevels: SafeLevels;
  readonly io: DeviceIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Pins and relays behind the vendor's character device.
 *
 * The node is opened for each call, as the vendor's own library does. That is the only way known to work, it costs a
 * few microseconds, it does not lock out the vendor's tools when the node admits one opener, and a node that went
 * away and came back is found again.
 */
export class GpioControl implements GpioDriver {
  readonly name = 'gpio_control';
  readonly path: string;
  readonly simulated = false;
  readonly wiring: PinWiring;
  readonly #options: GpioControlOptions;
  readonly #inputs: InputPoller;
  #started = false;

  constructor(options: GpioControlOptions) {
    this.path = options.path;
    this.wiring = { driver: 'gpio_control', path: options.path };
    this.#options = options;
    this.#inputs = new InputPoller({
      pins: () => options.inputs,
      read: (pin) => readNode(options.io, options.path, pin),
      clock: options.clock,
    });
  }

  onChange(listener: (change: PinState) => void): void {
    this.#inputs.listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such board), EACCES, ENOTTY (another driver behind this name) */
  async start(): Promise<void> {
    readNode(this.#options.io, this.path, 0);
    for (const [pin, level] of this.#safeLevels()) driveNode(this.#options.io, this.path, pin, level);
    this.#started = true;
    this.#inputs.start();
  }

  /** Never fails: a safe level that cannot be applied is logged. */
  async stop(): Promise<void> {
    this.#inputs.stop();
    if (!this.#started) return;
    this.#started = false;
    let hasFailed = false;
    for (const [pin, level] of this.#safeLevels()) {
      // Where a pin may still be on, none is switched on: the two may be locked with each other.
      if (hasFailed && level === 1) continue;
      try {
        driveNode(this.#options.io, this.path, pin, level);
      } catch (error) {
        hasFailed = true;
        this.#options.log.error({ err: error, pin }, 'gpio: could not apply the safe level at stop');
      }
    }
  }

  async write(pin: number, level: Level): Promise<void> {
    driveNode(this.#options.io, this.path, pin, level);
  }

  async read(pin: number): Promise<Level> {
    return readNode(this.#options.io, this.path, pin);
  }

  /** Each 0 before any 1: pins that must never be 1 together are not, on the way. */
  #safeLevels(): [number, Level][] {
    return Object.entries(this.#options.safeLevels)
      .map(([pin, level]): [number, Level] => [Number(pin), level as Level])
      .sort(([, one], [, other]) => one - other);
  }
}
