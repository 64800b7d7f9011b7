import { constants } from 'node:fs';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';

/** Events that are read at once, and how often in a row before other work has its turn. */
const EVENTS_AT_ONCE = 64;
const READS_IN_A_ROW = 16;
/** Longest wait for an event, in milliseconds: a program that ends by itself waits for it. */
const WAIT_MS = 1_000;
/** How long until a device that is gone is looked for again, in milliseconds. */
const AGAIN_MS = 5_000;

interface EvdevOptions {
  readonly path: string;
  /** No other program gets its keys: no page hears them. */
  readonly grabs: boolean;
  readonly heard: (change: KeyChange) => void;
  /** Events were lost, or the device is gone: what was typed so far is not whole. */
  readonly lost?: () => void;
  readonly io: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The keys of one input device. One that was unplugged is looked for until it is back. */
export class Evdev {
  readonly #options: EvdevOptions;
  readonly #into = Buffer.alloc(EVENT_SIZE * EVENTS_AT_ONCE);
  readonly #down = new Set<number>();
  #fd: number | undefined;
  #hasLost = false;
  #wake: (() => void) | undefined;
  #waiting: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;

  constructor(options: EvdevOptions) {
    this.#options = options;
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES, EBUSY (another program has grabbed it) */
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
    // With the descriptor the grab ends.
    if (fd !== undefined) this.#options.io.close(fd);
    this.#down.clear();
  }

  #open(): void {
    const { io, path, grabs } = this.#options;
    const fd = io.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (grabs) io.ioctlValue(fd, EVIOCGRAB, 1);
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
      for (const event of inputEvents(this.#into.subarray(0, size))) this.#event(fd, event);
      if (size < this.#into.length) return;
    }
  }

  #event(fd: number, { type, code, value }: { type: number; code: number; value: number }): void {
    if (type === EV_SYN && code === SYN_DROPPED) {
      this.#hasLost = true;
      this.#options.lost?.();
    } else if (this.#hasLost) {
      // Up to the next report, events are remains.
      if (type !== EV_SYN || code !== SYN_REPORT) return;
      this.#hasLost = false;
      this.#catchUp(fd);
    } else if (type === EV_KEY && value !== 2) this.#key(code, value === 1);
  }

  /** Asks which keys are down by now. */
  #catchUp(fd: number): void {
    const map = Buffer.alloc(KEY_BYTES);
    this.#options.io.ioctlPointer(fd, EVIOCGKEY, map);
    const down = new Set(keysIn(map));
    for (const code of [...this.#down]) if (!down.has(code)) this.#key(code, false);
    for (const code of down) this.#key(code, true);
  }

  #key(code: number, isDown: boolean): void {
    if (this.#down.has(code) === isDown) return;
    if (isDown) this.#down.add(code);
    else this.#down.delete(code);
    this.#options.heard({ code, isDown });
  }

  #gone(fd: number, error: unknown): void {
    const { io, log, path, lost } = this.#options;
    log.warn({ err: error, path }, 'buttons: input device lost, searching for it');
    this.#fd = undefined;
    io.close(fd);
    for (const code of [...this.#down]) this.#key(code, false);
    lost?.();
    this.#lookAgain();
  }

  #lookAgain(): void {
    const { clock, log, path } = this.#options;
    this.#cancel = clock.after(AGAIN_MS, () => {
      try {
        this.#open();
        log.info({ path }, 'buttons: input device is back');
      } catch {
        this.#lookAgain();
      }
    });
  }
}

/**
 * Structures and request numbers of the kernel's input devices (include/uapi/linux/input.h), on machines of 64 bits.
 * A test compares them with the kernel's header.
 */
export const EVIOCGRAB = 0x40044590;
/** The keys that are down, as a map of bits; for 96 bytes. */
export const EVIOCGKEY = 0x80604518;
export const KEY_BYTES = 96;

/** Size of struct input_event, and the places in it. */
export const EVENT_SIZE = 24;
export const OFFSET = { type: 16, code: 18, value: 20 };

export const EV_SYN = 0;
export const EV_KEY = 1;
export const SYN_REPORT = 0;
/** The kernel has lost events: the reader was too slow. */
export const SYN_DROPPED = 3;

/** A key that went down or up. */
interface KeyChange {
  readonly code: number;
  readonly isDown: boolean;
}

interface InputEvent {
  readonly type: number;
  readonly code: number;
  readonly value: number;
}

/** The events in what was read from a device: an array of struct input_event. */
function inputEvents(read: Buffer): InputEvent[] {
  const events: InputEvent[] = [];
  for (let at = 0; at + EVENT_SIZE <= read.length; at += EVENT_SIZE)
    events.push({
      type: read.readUInt16LE(at + OFFSET.type),
      code: read.readUInt16LE(at + OFFSET.code),
      value: read.readInt32LE(at + OFFSET.value),
    });
  return events;
}

/** The numbers of the bits that are set. */
function keysIn(map: Buffer): number[] {
  return Array.from({ length: map.length * 8 }, (_, bit) => bit).filter(
    (bit) => (map[bit >> 3]! >> (bit & 7)) & 1,
  );
}
