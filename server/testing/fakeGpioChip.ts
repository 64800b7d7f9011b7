import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoError } from '../platform/errno.ts';
import type { EventIo } from '../platform/native/deviceIo.ts';

/** A line of the chip. Levels are of the wire: high is 1. */
interface FakeLine {
  readonly name: string;
  /** Level that the outside world puts on the wire. */
  pull: number;
  /** Flags of the holder; undefined while the line is free. */
  flags: bigint | undefined;
  /** What the holder drives, before active-low. */
  value: number;
  /** Every flag word and output value that this line was configured with, oldest first. */
  readonly configured: {
    readonly flags: bigint;
    readonly value: number | undefined;
    readonly debounceUs?: number;
  }[];
  /** Edges that nobody has read yet. */
  readonly events: Buffer[];
  /** How many there have been since it was requested. */
  edges: number;
}

/** Longest queue of edges that the requests here ask for. */
const EVENT_BUFFER = 256;

/**
 * The kernel's GPIO character device behind the ioctl layer, as gpiolib-cdev.c behaves: it reads every structure by
 * its own literal offsets, refuses what the kernel refuses, and forgets a line when its descriptor is closed.
 */
export class FakeGpioChip implements EventIo {
  readonly path: string;
  readonly lines: FakeLine[];
  /** Requests that are not closed yet, by descriptor. */
  readonly held = new Map<number, FakeLine>();
  readonly chips = new Set<number>();
  /** Consumer names of the requests. */
  readonly consumers: string[] = [];
  /** A chip without interrupts tells no edges. */
  hasInterrupts = true;
  #nextFd = 100;
  /** Who waits for an edge. */
  readonly #waiting = new Set<() => void>();
  #present = true;

  constructor(path: string, names: readonly string[]) {
    this.path = path;
    this.lines = names.map((name) => ({
      name,
      pull: 0,
      flags: undefined,
      value: 0,
      configured: [],
      events: [],
      edges: 0,
    }));
  }

  /** The level on the wire. */
  wire(offset: number): number {
    const line = this.lines[offset]!;
    const flags = line.flags ?? 0n;
    if (!(flags & 8n)) return line.pull;
    const driven = flags & 2n ? 1 - line.value : line.value;
    if (flags & 0x40n && driven === 1) return line.pull;
    return driven;
  }

  /** The outside world changes a wire; with the kernel's time of it, in nanoseconds. */
  pull(offset: number, level: number, time = process.hrtime.bigint()): void {
    const line = this.lines[offset]!;
    const flags = line.flags ?? 0n;
    if (line.pull === level) return;
    line.pull = level;
    const isRising = (flags & 2n) === 0n ? level === 1 : level === 0;
    if (!(flags & (isRising ? 0x10n : 0x20n))) return;
    line.edges++;
    const event = Buffer.alloc(48);
    event.writeBigUInt64LE(time, 0);
    event.writeUInt32LE(isRising ? 1 : 2, 8);
    event.writeUInt32LE(offset, 12);
    event.writeUInt32LE(line.edges, 16);
    event.writeUInt32LE(line.edges, 20);
    line.events.push(event);
    // The kernel drops the oldest.
    if (line.events.length > EVENT_BUFFER) line.events.shift();
    this.#wake();
  }

  readWaiting(fd: number, into: Buffer): number {
    const line = this.held.get(fd);
    if (!line) throw errnoError('EBADF', `no descriptor ${fd}`);
    if (!this.#present) throw errnoError('ENODEV', 'unplugged');
    const events = line.events.splice(0, Math.floor(into.length / 48));
    return Buffer.concat(events).copy(into);
  }

  whenReadable(fds: readonly number[], limitMs: number, ready: () => void): () => void {
    const timer = setTimeout(() => end(), limitMs);
    const end = (): void => {
      clearTimeout(timer);
      if (this.#waiting.delete(look)) setImmediate(ready);
    };
    const look = (): void => {
      if (!this.#present || fds.some((fd) => (this.held.get(fd)?.events.length ?? 1) > 0)) end();
    };
    this.#waiting.add(look);
    look();
    return end;
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  unplug(): void {
    this.#present = false;
    for (const line of this.lines) line.flags = undefined;
    this.#wake();
  }

  plug(): void {
    this.#present = true;
  }

  open(path: string): number {
    if (!this.#present || path !== this.path) throw errnoError('ENOENT', 'no chip');
    this.chips.add(this.#nextFd);
    return this.#nextFd++;
  }

  close(fd: number): void {
    const line = this.held.get(fd);
    if (line) line.flags = undefined;
    if (!this.held.delete(fd) && !this.chips.delete(fd)) throw errnoError('EBADF', `closed ${fd} twice`);
  }

  ioctlValue(): number {
    throw errnoError('ENOTTY', 'all arguments of this device are pointers');
  }

  ioctlPointer(fd: number, request: number, argument: Buffer): number {
    const line = this.held.get(fd);
    if (!line && !this.chips.has(fd)) throw errnoError('EBADF', `no descriptor ${fd}`);
    if (!this.#present) throw errnoError('ENODEV', 'unplugged');
    if (line) lineIoctl(request, line, argument, () => this.wire(this.lines.indexOf(line)));
    else this.#chipIoctl(request, argument);
    return 0;
  }

  #chipIoctl(request: number, argument: Buffer): void {
    if (request === 0x8044b401) {
      expectSize(argument, 68);
      argument.write('fake-pins', 32, 32);
      argument.writeUInt32LE(this.lines.length, 64);
    } else if (request === 0xc100b405) {
      expectSize(argument, 256);
      const { name, flags } = this.#at(argument.readUInt32LE(64));
      argument.write(name, 0, 32);
      if (flags !== undefined) argument.write('another program', 32, 32);
      argument.writeBigUInt64LE((flags ?? 4n) | (flags === undefined ? 0n : 1n), 72);
    } else if (request === 0xc250b407) this.#request(argument);
    else throw errnoError('ENOTTY', `no request 0x${request.toString(16)} of a chip`);
  }

  #at(offset: number): FakeLine {
    const line = this.lines[offset];
    if (!line) throw errnoError('EINVAL', `no line ${offset}`);
    return line;
  }

  #request(request: Buffer): void {
    expectSize(request, 592);
    if (request.readUInt32LE(560) !== 1) throw errnoError('EINVAL', 'this fake gives one line per request');
    const line = this.#at(request.readUInt32LE(0));
    if (line.flags !== undefined) throw errnoError('EBUSY', `${line.name} is held`);
    if (!this.hasInterrupts && request.readBigUInt64LE(288) & 0x30n)
      throw errnoError('ENXIO', 'no interrupt');
    line.edges = 0;
    line.events.length = 0;
    this.consumers.push(request.toString('latin1', 256, 288).replace(/\0+$/, ''));
    configure(line, request.subarray(288, 560));
    this.held.set(this.#nextFd, line);
    request.writeInt32LE(this.#nextFd++, 588);
  }
}

function lineIoctl(request: number, line: FakeLine, argument: Buffer, wire: () => number): void {
  if (request === 0xc110b40d) configure(line, argument);
  else if (request === 0xc010b40e) getValues(line, argument, wire());
  else if (request === 0xc010b40f) setValues(line, argument);
  else throw errnoError('ENOTTY', `no request 0x${request.toString(16)} of a line`);
}

function getValues(line: FakeLine, values: Buffer, wire: number): void {
  expectSize(values, 16);
  if (values.readBigUInt64LE(8) !== 1n) throw errnoError('EINVAL', 'the mask names no line of the request');
  values.writeBigUInt64LE(BigInt(line.flags! & 2n ? 1 - wire : wire), 0);
}

function setValues(line: FakeLine, values: Buffer): void {
  expectSize(values, 16);
  if (values.readBigUInt64LE(8) !== 1n) throw errnoError('EINVAL', 'the mask names no line of the request');
  if (!(line.flags! & 8n)) throw errnoError('EPERM', 'an input');
  line.value = Number(values.readBigUInt64LE(0));
}

/** struct gpio_v2_line_config, with the checks of gpio_v2_line_config_validate(). */
function configure(line: FakeLine, config: Buffer): void {
  expectSize(config, 272);
  const flags = config.readBigUInt64LE(0);
  const attributes = config.readUInt32LE(8);
  const input = (flags & 4n) !== 0n;
  const output = (flags & 8n) !== 0n;
  const biases = [0x100n, 0x200n, 0x400n].filter((bias) => flags & bias).length;
  const drives = [0x40n, 0x80n].filter((drive) => flags & drive).length;
  if (input === output || biases > 1 || drives > 1 || (drives > 0 && !output) || attributes > 1) {
    throw errnoError('EINVAL', `flags 0x${flags.toString(16)}`);
  }
  if (output && flags & 0x30n) throw errnoError('EINVAL', 'edges of an output');
  let value: number | undefined;
  let debounceUs: number | undefined;
  if (attributes === 1) {
    const [id, padding] = [config.readUInt32LE(32), config.readUInt32LE(36)];
    const mask = config.readBigUInt64LE(48);
    if (id !== (output ? 2 : 3) || padding !== 0 || mask !== 1n) throw errnoError('EINVAL', 'attribute');
    if (output) value = Number(config.readBigUInt64LE(40));
    else debounceUs = config.readUInt32LE(40);
  }
  line.flags = flags;
  if (output) line.value = value ?? 0;
  line.configured.push({ flags, value, ...(debounceUs !== undefined && { debounceUs }) });
}

/** The size is part of the request number: the kernel copies that much, whatever the caller has allocated. */
function expectSize(buffer: Buffer, size: number): void {
  if (buffer.length !== size) throw errnoError('EFAULT', `${buffer.length} bytes instead of ${size}`);
}

const CONFIGFS = '/sys/kernel/config/gpio-sim';

/** Reason to skip a test that needs gpio-sim, or false. */
export const skipWithoutGpioSim: string | false =
  existsSync(CONFIGFS) && process.getuid?.() === 0
    ? false
    : 'needs root and the kernel module gpio-sim (modprobe gpio-sim, configfs mounted)';

/** A GPIO chip of the kernel's own simulator (Documentation/admin-guide/gpio/gpio-sim.rst). */
export class GpioSim {
  readonly #device = join(CONFIGFS, `faceplate-${process.pid}`);
  readonly #bank = join(this.#device, 'bank0');
  readonly #lines: string[] = [];

  /** @param names of the lines, by offset */
  start(names: readonly string[]): void {
    mkdirSync(this.#device);
    mkdirSync(this.#bank);
    writeFileSync(join(this.#bank, 'num_lines'), String(names.length));
    for (const [offset, name] of names.entries()) {
      const line = join(this.#bank, `line${offset}`);
      mkdirSync(line);
      this.#lines.push(line);
      writeFileSync(join(line, 'name'), name);
    }
    writeFileSync(join(this.#device, 'live'), '1');
  }

  /** The character device. */
  get path(): string {
    return `/dev/${this.#chip}`;
  }

  /** The outside world drives an input line. */
  pull(offset: number, level: number): void {
    const device = readFileSync(join(this.#device, 'dev_name'), 'utf8').trim();
    const line = `/sys/devices/platform/${device}/${this.#chip}/sim_gpio${offset}`;
    writeFileSync(join(line, 'pull'), level === 1 ? 'pull-up' : 'pull-down');
  }

  stop(): void {
    writeFileSync(join(this.#device, 'live'), '0');
    for (const folder of [...this.#lines, this.#bank, this.#device]) rmdirSync(folder);
  }

  get #chip(): string {
    return readFileSync(join(this.#bank, 'chip_name'), 'utf8').trim();
  }
}
