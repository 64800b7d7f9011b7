import { constants, write } from 'node:fs';
import { promisify } from 'node:util';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import { HeardNode } from '../heardNode.ts';
import { IR_LIMITS } from './contract.ts';
import { FRAME_GAP_US, type IrDriver, type IrFrame } from './driver.ts';
import { type Signal, sum } from './protocols.ts';

/** What the driver needs of the system besides: a write(2) that may wait, away from the event loop. */
export interface LircIo extends EventIo {
  write(fd: number, bytes: Buffer): Promise<unknown>;
}

const fileWrite = promisify(write);
/** Node's own write runs in its pool of threads. */
export const threadWrite = async (fd: number, bytes: Buffer): Promise<void> => {
  const written = (await fileWrite(fd, bytes)) as unknown as { bytesWritten: number } | number;
  const count = typeof written === 'number' ? written : written.bytesWritten;
  if (count !== bytes.length) throw errnoError('EIO', 'a part of the code was not sent');
};

interface LircOptions {
  readonly path: string;
  /** The transmitters of the device that send, as a mask of bits; undefined: as the device has them. */
  readonly mask?: number | undefined;
  /** Whether what it hears counts. */
  readonly receives: boolean;
  readonly io: LircIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Most words of one read. */
const WORDS_AT_ONCE = 1_024;
/** Darkness after which the receiver tells that nothing comes any more, in microseconds. */
const REC_TIMEOUT_US = 40_000;
/**
 * Silence after which a frame is over though no word says so, in milliseconds. While the carrier is measured, rc-loopback
 * sends the end of a frame as a second carrier (drivers/media/rc/rc-loopback.c of Linux 6.12).
 */
const SILENCE_MS = 250;
/** Most times of one write (LIRCBUF_SIZE in drivers/media/rc/rc-core-priv.h), as an odd count. */
const MOST_WORDS = 1_023;

/** An infrared device of the kernel: /dev/lirc0 (Documentation/userspace-api/media/rc/lirc-dev.rst). */
export class LircIr implements IrDriver {
  readonly name = 'lirc';
  readonly path: string;
  readonly simulated = false;
  readonly #options: LircOptions;
  readonly #node: HeardNode;
  #listener: (frame: IrFrame) => void = () => {};
  #features = 0;
  /** The frame that is being heard. */
  #heard: number[] = [];
  #measured: number | null = null;
  /** The frame is longer than a code may be, or a piece of it was lost. */
  #isSpoilt = false;
  /** Ends the wait for the silence after the last word. */
  #endWait = (): void => {};

  constructor(options: LircOptions) {
    const { path, io, clock, log } = options;
    this.path = path;
    this.#options = options;
    this.#node = new HeardNode({
      path,
      flags: constants.O_RDWR,
      readBytes: 4 * WORDS_AT_ONCE,
      prepare: (fd) => this.#prepare(fd),
      heard: (bytes) => {
        this.#endWait();
        for (let at = 0; at + 4 <= bytes.length; at += 4) this.#word(bytes.readUInt32LE(at));
        if (this.#heard.length > 0) this.#endWait = clock.after(SILENCE_MS, () => this.#whole());
      },
      lost: () => this.#forget(),
      lostLine: 'ir: device lost, searching for it',
      backLine: 'ir: device is back',
      io,
      clock,
      log,
    });
  }

  get sends(): boolean {
    return (this.#features & CAN_SEND_PULSE) !== 0;
  }

  get receives(): boolean {
    return this.#options.receives && (this.#features & CAN_REC_MODE2) !== 0;
  }

  get carrier(): boolean {
    const measures = this.receives && (this.#features & CAN_MEASURE_CARRIER) !== 0;
    return measures || (this.sends && (this.#features & CAN_SET_SEND_CARRIER) !== 0);
  }

  onFrame(listener: (frame: IrFrame) => void): void {
    this.#listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES, ENODEV (it neither sends nor receives) */
  async start(): Promise<void> {
    this.#node.start();
  }

  async stop(): Promise<void> {
    await this.#node.stop();
    this.#forget();
  }

  /** @throws an errno exception; the reason of the signal */
  async send({ timings, carrier }: Signal, signal: AbortSignal): Promise<void> {
    const { io, clock, path } = this.#options;
    const { fd } = this.#node;
    if (fd === undefined) throw errnoError('ENODEV', `${path} is gone`);
    if ((this.#features & CAN_SET_SEND_CARRIER) !== 0) io.ioctlPointer(fd, SET_SEND_CARRIER, number(carrier));
    let due = clock.now();
    for (const { values, gapUs } of piecesOf(timings)) {
      const wait = due - clock.now();
      if (wait > 0) await pause(wait, clock, signal);
      signal.throwIfAborted();
      const begun = clock.now();
      const bytes = Buffer.alloc(4 * values.length);
      for (const [index, us] of values.entries()) bytes.writeUInt32LE(us, 4 * index);
      // The kernel answers once it has been sent; a device that buffers may answer before.
      await io.write(fd, bytes);
      due = begun + (sum(values) + gapUs) / 1_000;
    }
    const rest = due - clock.now();
    if (rest > 0) await pause(rest, clock, signal);
  }

  #prepare(fd: number): void {
    const { io, path, mask } = this.#options;
    const features = Buffer.alloc(4);
    io.ioctlPointer(fd, GET_FEATURES, features);
    this.#features = features.readUInt32LE();
    if (!this.sends && !this.receives) throw errnoError('ENODEV', `${path} neither sends nor receives`);
    if (this.sends) io.ioctlPointer(fd, SET_SEND_MODE, number(MODE_PULSE));
    if (this.sends && mask !== undefined) io.ioctlPointer(fd, SET_TRANSMITTER_MASK, number(mask));
    if (!this.receives) return;
    io.ioctlPointer(fd, SET_REC_MODE, number(MODE_MODE2));
    this.#wish(fd, SET_REC_TIMEOUT, REC_TIMEOUT_US);
    if ((this.#features & CAN_MEASURE_CARRIER) !== 0) this.#wish(fd, SET_MEASURE_CARRIER_MODE, 1);
  }

  /** What makes a receiver better and is not in every device. */
  #wish(fd: number, request: number, value: number): void {
    try {
      this.#options.io.ioctlPointer(fd, request, number(value));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }

  /** One word of LIRC_MODE_MODE2: the upper byte says what the lower three are. */
  #word(word: number): void {
    const us = word & 0xffffff;
    switch (word & 0xff000000) {
      case WORD_PULSE:
        this.#add(us, true);
        return;
      case WORD_SPACE:
        if (us >= FRAME_GAP_US) this.#whole();
        else if (this.#heard.length > 0) this.#add(us, false);
        return;
      case WORD_FREQUENCY:
        // The first one: see SILENCE_MS.
        this.#measured ??= us;
        return;
      case WORD_TIMEOUT:
        this.#whole();
        return;
      case WORD_OVERFLOW:
        this.#isSpoilt = true;
        return;
    }
  }

  #add(us: number, isLight: boolean): void {
    // Two of one kind follow each other where the kernel cuts a long one.
    const isSame = (this.#heard.length % 2 === 1) === isLight;
    if (isSame) this.#heard[this.#heard.length - 1]! += us;
    else if (this.#heard.length < IR_LIMITS.values) this.#heard.push(us);
    else this.#isSpoilt = true;
    if (this.#heard.at(-1)! > IR_LIMITS.valueUs) this.#isSpoilt = true;
  }

  #whole(): void {
    const timings = this.#heard.length % 2 === 0 ? this.#heard.slice(0, -1) : this.#heard;
    const frame = { timings, carrier: this.#measured };
    const isWhole = timings.length > 0 && !this.#isSpoilt && timings.every((us) => us > 0);
    this.#forget();
    if (isWhole && this.receives) this.#listener(frame);
  }

  #forget(): void {
    this.#endWait();
    this.#heard = [];
    this.#measured = null;
    this.#isSpoilt = false;
  }
}

/** Times that are sent by one write, and the darkness behind them. */
interface Piece {
  readonly values: readonly number[];
  readonly gapUs: number;
}

/**
 * A code in pieces that the kernel takes: at most 500 ms and 1,023 times each, cut at the last gap that fits. A stretch
 * with too many times and no gap is cut at its longest darkness.
 */
export function piecesOf(timings: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  let rest = timings;
  while (rest.length > 0) {
    const end = endOf(rest);
    pieces.push({ values: rest.slice(0, end), gapUs: rest[end] ?? 0 });
    rest = rest.slice(end + 1);
  }
  return pieces;
}

/** How many times the first piece has. */
function endOf(timings: readonly number[]): number {
  let total = 0;
  let gap = -1;
  let longest = 1;
  for (const [index, us] of timings.entries()) {
    if (index >= MOST_WORDS || total + us > IR_LIMITS.pieceUs) return gap > 0 ? gap : longest;
    total += us;
    if (index % 2 === 0) continue;
    if (us >= IR_LIMITS.gapUs) gap = index;
    if (us >= timings[longest]!) longest = index;
  }
  return timings.length;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Requests and bits of include/uapi/linux/lirc.h. */
export const GET_FEATURES = 0x80046900;
export const SET_SEND_MODE = 0x40046911;
const SET_REC_MODE = 0x40046912;
export const SET_SEND_CARRIER = 0x40046913;
export const SET_TRANSMITTER_MASK = 0x40046917;
const SET_REC_TIMEOUT = 0x40046918;
const SET_MEASURE_CARRIER_MODE = 0x4004691d;

export const CAN_SEND_PULSE = 0x2;
export const CAN_SET_SEND_CARRIER = 0x100;
export const CAN_REC_MODE2 = 0x40000;
export const CAN_MEASURE_CARRIER = 0x2000000;

const MODE_PULSE = 0x2;
const MODE_MODE2 = 0x4;

const WORD_SPACE = 0;
export const WORD_PULSE = 0x01000000;
export const WORD_FREQUENCY = 0x02000000;
export const WORD_TIMEOUT = 0x03000000;
const WORD_OVERFLOW = 0x04000000;
