import { constants } from 'node:fs';
import type { Clock } from '../platform/clock.ts';
import type { Logger, LogLine } from '../platform/log.ts';
import type { EventIo } from '../platform/native/deviceIo.ts';

/** How often it reads in a row before other work has its turn. */
const READS_IN_A_ROW = 16;
/** Longest wait for what comes, in milliseconds: a program that ends by itself waits for it. */
const WAIT_MS = 1_000;
/** How long until a device that is gone is looked for again, in milliseconds. */
const AGAIN_MS = 5_000;

interface HeardNodeOptions {
  readonly path: string;
  /** `constants.O_RDONLY` or `O_RDWR`; opening never waits. */
  readonly flags: number;
  /** Most bytes of one read. */
  readonly readBytes: number;
  /** Prepares the node that was opened. @throws an errno exception: it is closed again */
  readonly prepare: (fd: number) => void;
  /** Gets what was read. */
  readonly heard: (bytes: Buffer, fd: number) => void;
  /** The device is gone: what was heard so far is not whole. */
  readonly lost: () => void;
  /** What the log says when it is gone, and when it is back. */
  readonly lostLine: LogLine;
  readonly backLine: LogLine;
  readonly io: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A device node that tells what happens at it. One that was unplugged is looked for until it is back. */
export class HeardNode {
  readonly #options: HeardNodeOptions;
  readonly #into: Buffer;
  #fd: number | undefined;
  #wake: (() => void) | undefined;
  #waiting: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;

  constructor(options: HeardNodeOptions) {
    this.#options = options;
    this.#into = Buffer.alloc(options.readBytes);
  }

  /** undefined while it is closed, and while the device is gone. */
  get fd(): number | undefined {
    return this.#fd;
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES, what `prepare` throws */
  start(): void {
    if (this.#fd === undefined) this.#open();
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const fd = this.#fd;
    this.#fd = undefined;
    this.#wake?.();
    await this.#waiting;
    if (fd !== undefined) this.#options.io.close(fd);
  }

  #open(): void {
    const { io, path, flags, prepare } = this.#options;
    const fd = io.open(path, flags | constants.O_NONBLOCK);
    try {
      prepare(fd);
    } catch (error) {
      io.close(fd);
      throw error;
    }
    this.#fd = fd;
    this.#wait(fd);
  }

  #wait(fd: number): void {
    this.#waiting = new Promise((resolve) => {
      this.#wake = this.#options.io.whenReadable([fd], WAIT_MS, () => {
        this.#wake = undefined;
        resolve();
        if (this.#fd !== fd) return;
        try {
          this.#read(fd);
        } catch (error) {
          this.#gone(fd, error);
        }
        if (this.#fd === fd) this.#wait(fd);
      });
    });
  }

  #read(fd: number): void {
    for (let turn = 0; turn < READS_IN_A_ROW; turn++) {
      const size = this.#options.io.readWaiting(fd, this.#into);
      if (size === 0) return;
      this.#options.heard(this.#into.subarray(0, size), fd);
      if (size < this.#into.length) return;
    }
  }

  #gone(fd: number, error: unknown): void {
    const { io, log, path, lost, lostLine } = this.#options;
    log.warn({ err: error, path }, lostLine);
    this.#fd = undefined;
    io.close(fd);
    lost();
    this.#lookAgain();
  }

  #lookAgain(): void {
    const { clock, log, path, backLine } = this.#options;
    this.#cancel = clock.after(AGAIN_MS, () => {
      try {
        this.#open();
        log.info({ path }, backLine);
      } catch {
        this.#lookAgain();
      }
    });
  }
}
