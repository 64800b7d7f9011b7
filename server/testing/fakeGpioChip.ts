import type { DeviceIo } from '../drivers/native/deviceIo.ts';
import { errnoError } from '../platform/errno.ts';

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
  readonly configured: { readonly flags: bigint; readonly value: number | undefined }[];
}

/**
 * The kernel's GPIO character device behind the ioctl layer, as gpiolib-cdev.c behaves: it reads every structure by
 * its own literal offsets, refuses what the kernel refuses, and forgets a line when its descriptor is closed.
 */
export class FakeGpioChip implements DeviceIo {
  readonly path: string;
  readonly lines: FakeLine[];
  /** Requests that are not closed yet, by descriptor. */
  readonly held = new Map<number, FakeLine>();
  readonly chips = new Set<number>();
  /** Consumer names of the requests. */
  readonly consumers: string[] = [];
  #nextFd = 100;
  #present = true;

  constructor(path: string, names: readonly string[]) {
    this.path = path;
    this.lines = names.map((name) => ({ name, pull: 0, flags: undefined, value: 0, configured: [] }));
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

  unplug(): void {
    this.#present = false;
    for (const line of this.lines) line.flags = undefined;
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
      argument.writeUInt32LE(this.lines.length, 64);
    } else if (request === 0xc100b405) {
      expectSize(argument, 256);
      argument.write(this.#at(argument.readUInt32LE(64)).name, 0, 32);
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
  let value: number | undefined;
  if (attributes === 1) {
    const [id, padding] = [config.readUInt32LE(32), config.readUInt32LE(36)];
    const mask = config.readBigUInt64LE(48);
    if (id !== 2 || padding !== 0 || mask !== 1n) throw errnoError('EINVAL', 'attribute');
    value = Number(config.readBigUInt64LE(40));
  }
  line.flags = flags;
  if (output) line.value = value ?? 0;
  line.configured.push({ flags, value });
}

/** The size is part of the request number: the kernel copies that much, whatever the caller has allocated. */
function expectSize(buffer: Buffer, size: number): void {
  if (buffer.length !== size) throw errnoError('EFAULT', `${buffer.length} bytes instead of ${size}`);
}
