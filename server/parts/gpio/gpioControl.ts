import { constants } from 'node:fs';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { Level, PinState, PinWiring } from './contract.ts';
import type { GpioDriver } from './driver.ts';
import { InputPoller } from './inputListeners.ts';

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

/**
 * The protocol of the vendor's gpio_control node: the argument is always the address of a 4-byte int that holds the
 * pin, the request number contains the level, and the level read is the result of the call.
 */
const DRIVE_LOW = 0x40000000;
const DRIVE_HIGH = 0x40000001;
const READ_LEVEL = 0x80000000;

/** @throws an errno exception */
export function driveNode(io: DeviceIo, path: string, pin: number, level: Level): void {
  call(io, path, level === 1 ? DRIVE_HIGH : DRIVE_LOW, pin);
}

/** @throws an errno exception */
function readNode(io: DeviceIo, path: string, pin: number): Level {
  return call(io, path, READ_LEVEL, pin) === 0 ? 0 : 1;
}

function call(io: DeviceIo, path: string, request: number, pin: number): number {
  const argument = Buffer.alloc(4);
  argument.writeInt32LE(pin);
  const fd = io.open(path, constants.O_RDWR);
  try {
    return io.ioctlPointer(fd, request, argument);
  } finally {
    io.close(fd);
  }
}
