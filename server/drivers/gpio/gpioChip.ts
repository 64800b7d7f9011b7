import { constants } from 'node:fs';
import type { Level, PinState } from '../../contract/gpio.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import type { GpioDriver } from '../../services/gpio/driver.ts';
import type { DeviceIo } from '../native/deviceIo.ts';
import * as uapi from './gpioChipUapi.ts';
import { InputPoller } from './inputPoller.ts';

/** The name under which we hold the lines, as `gpioinfo` shows it. */
const CONSUMER = 'faceplate';

/** One pin of the API on the chip. Exactly one of `offset` and `name` is given. */
export interface GpioLine extends uapi.LineWiring {
  readonly offset?: number | undefined;
  readonly name?: string | undefined;
  /** `both`: an input until it is written, an output from then on. */
  readonly direction: 'input' | 'output' | 'both';
  /** Level of an output from the start on; 0 when neither this nor `safeLevel` is given. */
  readonly initial?: Level | undefined;
  /** Level of an output at start and at stop. */
  readonly safeLevel?: Level | undefined;
}

interface GpioChipOptions {
  readonly path: string;
  /** By pin number of the API. */
  readonly lines: readonly GpioLine[];
  readonly io: DeviceIo;
  readonly clock: Clock;
  readonly log: Logger;
}

interface HeldLine {
  readonly line: GpioLine;
  readonly fd: number;
  /** Current direction. */
  direction: 'input' | 'output';
}

/**
 * Lines of a standard Linux GPIO chip (character device, version 2). Each line is requested separately and held from
 * start to stop: its level is only defined while it is held, and no other program can take it meanwhile. A chip that
 * goes away (an expander on USB or I2C) is requested again on the next call.
 */
export class GpioChip implements GpioDriver {
  readonly name = 'gpiochip';
  readonly path: string;
  readonly simulated = false;
  readonly #options: GpioChipOptions;
  readonly #inputs: InputPoller;
  /** By pin; empty while stopped and while the chip is lost. */
  #held: HeldLine[] = [];
  #started = false;

  constructor(options: GpioChipOptions) {
    this.path = options.path;
    this.#options = options;
    this.#inputs = new InputPoller({
      pins: options.lines.flatMap(({ direction }, pin) => (direction === 'output' ? [] : [pin])),
      read: (pin) => this.#read(pin),
      clock: options.clock,
    });
  }

  onChange(listener: (change: PinState) => void): void {
    this.#inputs.listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such chip), ENXIO (no such line), EBUSY (a line is held by another program) */
  async start(): Promise<void> {
    this.#hold();
    this.#started = true;
    this.#inputs.start();
  }

  /** Never fails: a safe level that cannot be applied is logged. */
  async stop(): Promise<void> {
    this.#inputs.stop();
    for (const [pin, held] of this.#held.entries()) {
      // A chip that was lost in between has released its lines.
      if (this.#held.length === 0) break;
      if (held.line.safeLevel === undefined) continue;
      try {
        this.#set(held, held.line.safeLevel);
      } catch (error) {
        this.#options.log.error({ err: error, pin }, 'the safe level could not be applied at stop');
      }
    }
    this.#release();
    this.#started = false;
  }

  /** @throws an errno exception: EPERM when the pin is an input by the profile */
  async write(pin: number, level: Level): Promise<void> {
    const held = this.#line(pin);
    const { direction } = held.line;
    if (direction === 'input') {
      throw errnoError('EPERM', `pin ${pin} is an input by the board profile`);
    }
    if (held.direction === 'output') {
      this.#set(held, level);
      return;
    }
    const config = uapi.lineConfig(uapi.lineFlags('output', held.line), level);
    this.#call(held, uapi.GPIO_V2_LINE_SET_CONFIG, config);
    held.direction = 'output';
  }

  async read(pin: number): Promise<Level> {
    return this.#read(pin);
  }

  #read(pin: number): Level {
    const values = uapi.lineValues(0);
    this.#call(this.#line(pin), uapi.GPIO_V2_LINE_GET_VALUES, values);
    return uapi.levelOf(values);
  }

  #set(held: HeldLine, level: Level): void {
    this.#call(held, uapi.GPIO_V2_LINE_SET_VALUES, uapi.lineValues(level));
  }

  #call(held: HeldLine, request: number, argument: Buffer): void {
    try {
      this.#options.io.ioctlPointer(held.fd, request, argument);
    } catch (error) {
      // ENODEV: the chip is gone and the descriptors of its lines are dead for good.
      if (errnoOf(error) === 'ENODEV') this.#release();
      throw error;
    }
  }

  #line(pin: number): HeldLine {
    if (this.#started && this.#held.length === 0) this.#hold();
    const held = this.#held[pin];
    if (!held) throw errnoError('ENXIO', `the board profile has no line for pin ${pin}`);
    return held;
  }

  #hold(): void {
    const { io, path, lines } = this.#options;
    const chip = io.open(path, constants.O_RDWR);
    try {
      const offsets = this.#offsets(chip);
      for (const [pin, line] of lines.entries()) this.#held.push(this.#request(chip, offsets[pin]!, line));
    } catch (error) {
      this.#release();
      throw error;
    } finally {
      io.close(chip);
    }
  }

  /** The offset of each line of the profile. Names are looked up only when a profile uses them. */
  #offsets(chip: number): number[] {
    const { io, lines } = this.#options;
    const names = new Map<string, number>();
    if (lines.some(({ name }) => name !== undefined)) {
      const info = Buffer.alloc(uapi.SIZE.chipInfo);
      io.ioctlPointer(chip, uapi.GPIO_GET_CHIPINFO, info);
      for (let offset = 0; offset < uapi.chipLines(info); offset++) {
        const line = uapi.lineInfo(offset);
        io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINEINFO, line);
        const name = uapi.lineName(line);
        // The kernel does not promise unique names; its own tools take the first too.
        if (name !== '' && !names.has(name)) names.set(name, offset);
      }
    }
    return lines.map(({ name, offset }) => {
      const found = name === undefined ? offset : names.get(name);
      if (found === undefined) throw errnoError('ENXIO', `the chip has no line named ${name}`);
      return found;
    });
  }

  #request(chip: number, offset: number, line: GpioLine): HeldLine {
    const direction = line.direction === 'output' ? 'output' : 'input';
    const level = direction === 'output' ? (line.safeLevel ?? line.initial ?? 0) : undefined;
    const config = uapi.lineConfig(uapi.lineFlags(direction, line), level);
    const request = uapi.lineRequest(offset, CONSUMER, config);
    this.#options.io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINE, request);
    return { line, fd: uapi.requestedFd(request), direction };
  }

  #release(): void {
    for (const { fd } of this.#held) this.#options.io.close(fd);
    this.#held = [];
  }
}
