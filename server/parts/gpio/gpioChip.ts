import { constants } from 'node:fs';
import type { Clock } from '../../platform/clock.ts';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import type { Level, PinWiring } from './contract.ts';
import type { GpioDriver, PinChange } from './driver.ts';
import * as uapi from './gpioChipUapi.ts';
import { EdgeListener, InputPoller } from './inputListeners.ts';

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
  /** Level at start and at stop, while the line is an output. */
  readonly safeLevel?: Level | undefined;
}

interface GpioChipOptions {
  readonly path: string;
  /** By pin number of the API. */
  readonly lines: readonly GpioLine[];
  /** How long an input has to keep a level until it counts, in milliseconds; the kernel sees to it. */
  readonly debounceMs?: number | undefined;
  readonly io: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
}

interface HeldLine {
  readonly line: GpioLine;
  readonly fd: number;
  /** Whether the kernel tells its edges; not every chip can. */
  readonly hearsEdges: boolean;
  /** Current direction. */
  direction: 'input' | 'output';
}

/**
 * Lines of a standard Linux GPIO chip (character device, version 2). Each line is requested separately and stays requested from
 * start to stop: its level is only defined during that time, and no other program can take it meanwhile. A chip that
 * disappears (an expander on USB or I2C) is requested again on the next call.
 *
 * Inputs are heard by the kernel's edges; only those of a chip without interrupts are read regularly.
 */
export class GpioChip implements GpioDriver {
  readonly name = 'gpiochip';
  readonly path: string;
  readonly simulated = false;
  readonly wiring: PinWiring;
  readonly #options: GpioChipOptions;
  readonly #inputs: InputPoller;
  readonly #edges: EdgeListener;
  #listener: ((change: PinChange) => void) | undefined;
  /** By pin; empty while stopped and while the chip is lost. */
  #held: readonly HeldLine[] = [];
  #started = false;

  constructor(options: GpioChipOptions) {
    this.path = options.path;
    this.#options = options;
    const { path, lines, io, clock, log } = options;
    this.wiring = { driver: 'gpiochip', path, lines: lines.map(wiringOf) };
    this.#inputs = new InputPoller({
      pins: () => this.#polled(),
      read: (pin) => this.#read(pin),
      clock,
    });
    this.#edges = new EdgeListener({
      io,
      heard: (change) => this.#listener?.(change),
      failed: (error) => {
        log.warn({ err: error, path }, 'gpio: lost the edges of the inputs');
        this.#release();
      },
    });
  }

  onChange(listener: (change: PinChange) => void): void {
    this.#listener = listener;
    this.#inputs.listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such chip), ENXIO (no such line), EBUSY (another program uses a line) */
  async start(): Promise<void> {
    this.#hold();
    this.#started = true;
    this.#inputs.start();
  }

  /** Never fails: a safe level that cannot be applied is logged. */
  async stop(): Promise<void> {
    this.#inputs.stop();
    let hasFailed = false;
    for (const { pin, line } of this.#offFirst()) {
      const held = this.#held[pin];
      if (line.safeLevel === undefined || held?.direction !== 'output') continue;
      // Where a pin may still be on, none is switched on: the two may be locked with each other.
      if (hasFailed && line.safeLevel === 1) continue;
      try {
        this.#set(held, line.safeLevel);
      } catch (error) {
        hasFailed = true;
        this.#options.log.error({ err: error, pin }, 'gpio: could not apply the safe level at stop');
      }
    }
    this.#started = false;
    await this.#edges.stop();
    this.#release();
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
    const config = uapi.outputConfig(uapi.lineFlags('output', held.line), level);
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
    const { io, path } = this.#options;
    const chip = io.open(path, constants.O_RDWR);
    const held: HeldLine[] = [];
    try {
      const offsets = uapi.chipOffsets(io, chip, this.#options.lines);
      for (const { pin, line } of this.#offFirst()) held[pin] = this.#request(chip, offsets[pin]!, line);
    } catch (error) {
      for (const line of held) if (line !== undefined) io.close(line.fd);
      throw error;
    } finally {
      io.close(chip);
    }
    this.#held = held;
    if (this.#listener === undefined) return;
    this.#edges.start(new Map(held.flatMap(({ hearsEdges, fd }, pin) => (hearsEdges ? [[fd, pin]] : []))));
  }

  /** The lines by pin, those that start and rest at 1 last: pins that are locked with each other are never 1 together. */
  #offFirst(): { pin: number; line: GpioLine }[] {
    return this.#options.lines
      .map((line, pin) => ({ pin, line }))
      .sort((one, other) => startLevel(one.line) - startLevel(other.line));
  }

  /** Pins that can be inputs and whose edges the driver does not report. */
  #polled(): number[] {
    return this.#held.flatMap(({ line, hearsEdges }, pin) =>
      line.direction === 'output' || hearsEdges ? [] : [pin],
    );
  }

  #request(chip: number, offset: number, line: GpioLine): HeldLine {
    if (line.direction === 'output') {
      const config = uapi.outputConfig(uapi.lineFlags('output', line), startLevel(line));
      return { line, fd: this.#ask(chip, offset, config), hearsEdges: false, direction: 'output' };
    }
    const flags = uapi.lineFlags('input', line);
    try {
      const config = uapi.edgeConfig(flags, this.#options.debounceMs ?? 0);
      return { line, fd: this.#ask(chip, offset, config), hearsEdges: true, direction: 'input' };
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'EBUSY' || errno === 'ENODEV') throw error;
      this.#options.log.warn(
        { err: error, offset },
        'gpio: the chip reports no edges of this line, polling it',
      );
    }
    const fd = this.#ask(chip, offset, uapi.lineConfig(flags));
    return { line, fd, hearsEdges: false, direction: 'input' };
  }

  /** @returns the descriptor that holds the line */
  #ask(chip: number, offset: number, config: Buffer): number {
    const request = uapi.lineRequest(offset, CONSUMER, config);
    this.#options.io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINE, request);
    return uapi.requestedFd(request);
  }

  #release(): void {
    void this.#edges.stop();
    for (const { fd } of this.#held) this.#options.io.close(fd);
    this.#held = [];
  }
}

/** The level of an output from the first moment on. */
function startLevel({ safeLevel, initial }: GpioLine): Level {
  return safeLevel ?? initial ?? 0;
}

function wiringOf({ offset, name, activeLow, bias, drive }: GpioLine) {
  return { offset, name, activeLow, bias, drive };
}
