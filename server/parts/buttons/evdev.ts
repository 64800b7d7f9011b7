import { constants } from 'node:fs';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import { HeardNode } from '../heardNode.ts';

/** Events that are read at once. */
const EVENTS_AT_ONCE = 64;

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
  readonly #node: HeardNode;
  readonly #down = new Set<number>();
  #hasLost = false;

  constructor(options: EvdevOptions) {
    const { path, grabs, io, clock, log } = options;
    this.#options = options;
    this.#node = new HeardNode({
      path,
      flags: constants.O_RDONLY,
      readBytes: EVENT_SIZE * EVENTS_AT_ONCE,
      prepare: (fd) => {
        // With the descriptor the grab ends.
        if (grabs) io.ioctlValue(fd, EVIOCGRAB, 1);
      },
      heard: (bytes, fd) => {
        for (const event of inputEvents(bytes)) this.#event(fd, event);
      },
      lost: () => {
        for (const code of [...this.#down]) this.#key(code, false);
        options.lost?.();
      },
      lostLine: 'buttons: input device lost, searching for it',
      backLine: 'buttons: input device is back',
      io,
      clock,
      log,
    });
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES, EBUSY (another program has grabbed it) */
  start(): void {
    this.#node.start();
  }

  async stop(): Promise<void> {
    await this.#node.stop();
    this.#down.clear();
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
