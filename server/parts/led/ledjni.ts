import { constants } from 'node:fs';
import { errnoOf } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { LedState } from './contract.ts';
import type { LedDriver } from './driver.ts';

/** The protocol of the vendor's ledjni node: the argument is a plain number. */
const SET_RED = 0xa1;
const SET_GREEN = 0xa2;
const SET_BLUE = 0xa3;
const ALL_OFF = 0x99;

/** Refusals of O_RDWR after which the node may still be opened for reading, as the vendor's library does. */
const READ_ONLY_ERRORS = ['EACCES', 'EPERM', 'EROFS'];

const DARK: LedState = { on: false, red: 0, green: 0, blue: 0 };

interface LedJniOptions {
  readonly path: string;
  /** Value of full brightness at the node: 255 on all boards measured, 15 by the vendor's papers. */
  readonly scale: 15 | 255;
  readonly io: DeviceIo;
}

/**
 * The RGB bar behind the vendor's ledjni node. It cannot be read back. Opened for each call, as the vendor's library
 * does. Opening proves nothing: some boards open the node for everyone and refuse the call with EACCES.
 */
export class LedJni implements LedDriver {
  readonly name = 'ledjni';
  readonly path: string;
  readonly simulated = false;
  readonly #options: LedJniOptions;
  /** The last state that the node accepted completely. */
  #shown = DARK;

  constructor(options: LedJniOptions) {
    this.path = options.path;
    this.#options = options;
  }

  /**
   * Writes the last colour again (the first time: dark) to prove that the node takes calls.
   * @throws an errno exception: ENOENT (no such board), EACCES, ENOTTY
   */
  async start(): Promise<void> {
    this.#set(this.#shown);
  }

  async stop(): Promise<void> {}

  async apply(state: LedState): Promise<void> {
    this.#set(state);
    this.#shown = state;
  }

  #set({ on, red, green, blue }: LedState): void {
    const { io } = this.#options;
    const fd = this.#open();
    try {
      if (!on) {
        io.ioctlValue(fd, ALL_OFF, 0);
        return;
      }
      io.ioctlValue(fd, SET_RED, this.#scaled(red));
      io.ioctlValue(fd, SET_GREEN, this.#scaled(green));
      io.ioctlValue(fd, SET_BLUE, this.#scaled(blue));
    } finally {
      io.close(fd);
    }
  }

  #open(): number {
    const { io, path } = this.#options;
    try {
      return io.open(path, constants.O_RDWR | constants.O_NOCTTY);
    } catch (error) {
      if (!READ_ONLY_ERRORS.includes(errnoOf(error) ?? '')) throw error;
      return io.open(path, constants.O_RDONLY | constants.O_NOCTTY);
    }
  }

  #scaled(channel: number): number {
    return Math.round((channel * this.#options.scale) / 255);
  }
}
