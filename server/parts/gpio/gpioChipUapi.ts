import { errnoError } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { Level } from './contract.ts';

/**
 * Structures and request numbers of the GPIO character device, version 2 (include/uapi/linux/gpio.h, Linux 5.10 and
 * later). Little-endian, without a difference between 32 and 64 bit. A test compares them with the kernel's header.
 */
export const GPIO_GET_CHIPINFO = 0x8044b401;
export const GPIO_V2_GET_LINEINFO = 0xc100b405;
export const GPIO_V2_GET_LINE = 0xc250b407;
export const GPIO_V2_LINE_SET_CONFIG = 0xc110b40d;
export const GPIO_V2_LINE_GET_VALUES = 0xc010b40e;
export const GPIO_V2_LINE_SET_VALUES = 0xc010b40f;

/** Sizes in bytes. */
export const SIZE = {
  chipInfo: 68,
  lineInfo: 256,
  lineRequest: 592,
  lineConfig: 272,
  lineValues: 16,
  lineEvent: 48,
};

/** Offsets in bytes from the start of the structure they belong to. */
export const OFFSET = {
  chipLabel: 32,
  chipLines: 64,
  lineInfoName: 0,
  lineInfoConsumer: 32,
  lineInfoOffset: 64,
  lineInfoFlags: 72,
  requestOffsets: 0,
  requestConsumer: 256,
  requestConfig: 288,
  requestLines: 560,
  requestEventBuffer: 564,
  requestFd: 588,
  configFlags: 0,
  configAttributeCount: 8,
  configAttributes: 32,
  attributeId: 0,
  attributeValues: 8,
  attributeMask: 16,
  eventTime: 0,
  eventId: 8,
  eventLineNumber: 20,
  valuesBits: 0,
  valuesMask: 8,
};

export const FLAG = {
  used: 0x1n,
  activeLow: 0x2n,
  input: 0x4n,
  output: 0x8n,
  edgeRising: 0x10n,
  edgeFalling: 0x20n,
  openDrain: 0x40n,
  openSource: 0x80n,
  pullUp: 0x100n,
  pullDown: 0x200n,
  biasDisabled: 0x400n,
};

export const ATTRIBUTE_OUTPUT_VALUES = 2;
export const ATTRIBUTE_DEBOUNCE = 3;
export const EVENT_RISING_EDGE = 1;

/** Edges of one line that the kernel keeps until they are read; the oldest are lost beyond. */
export const EVENT_BUFFER = 256;

/** Longest name of a line, chip or consumer with its terminating zero. */
const NAME_SIZE = 32;

/** What an integrator declares about the electrics of a line. */
export interface LineWiring {
  /** Level 1 is the low voltage. */
  readonly activeLow?: boolean | undefined;
  readonly bias?: 'pull-up' | 'pull-down' | 'disabled' | undefined;
  readonly drive?: 'push-pull' | 'open-drain' | 'open-source' | undefined;
}

/** Flags of a line; the kernel accepts a drive only for outputs, not for an input. */
export function lineFlags(direction: 'input' | 'output', wiring: LineWiring): bigint {
  let flags = direction === 'input' ? FLAG.input : FLAG.output;
  if (wiring.activeLow) flags |= FLAG.activeLow;
  if (wiring.bias === 'pull-up') flags |= FLAG.pullUp;
  if (wiring.bias === 'pull-down') flags |= FLAG.pullDown;
  if (wiring.bias === 'disabled') flags |= FLAG.biasDisabled;
  if (direction === 'output' && wiring.drive === 'open-drain') flags |= FLAG.openDrain;
  if (direction === 'output' && wiring.drive === 'open-source') flags |= FLAG.openSource;
  return flags;
}

/** struct gpio_v2_line_config of an output. @param value its level from the first moment on */
export function outputConfig(flags: bigint, value: Level): Buffer {
  const config = lineConfig(flags);
  config.writeBigUInt64LE(BigInt(value), addAttribute(config, ATTRIBUTE_OUTPUT_VALUES));
  return config;
}

/**
 * struct gpio_v2_line_config of an input whose edges are heard.
 * @param debounceMs how long the kernel waits until a level counts; 0: it does not
 */
export function edgeConfig(flags: bigint, debounceMs: number): Buffer {
  const config = lineConfig(flags | FLAG.edgeRising | FLAG.edgeFalling);
  if (debounceMs > 0) config.writeUInt32LE(debounceMs * 1_000, addAttribute(config, ATTRIBUTE_DEBOUNCE));
  return config;
}

/** struct gpio_v2_line_config for a request of one line, without attributes. */
export function lineConfig(flags: bigint): Buffer {
  const config = Buffer.alloc(SIZE.lineConfig);
  config.writeBigUInt64LE(flags, OFFSET.configFlags);
  return config;
}

/** Makes the one attribute of a configuration. @returns the place of its value */
function addAttribute(config: Buffer, id: number): number {
  config.writeUInt32LE(1, OFFSET.configAttributeCount);
  const attribute = OFFSET.configAttributes;
  config.writeUInt32LE(id, attribute + OFFSET.attributeId);
  config.writeBigUInt64LE(1n, attribute + OFFSET.attributeMask);
  return attribute + OFFSET.attributeValues;
}

/** struct gpio_v2_line_request for one line. @param consumer name that others see as the holder of the line */
export function lineRequest(offset: number, consumer: string, config: Buffer): Buffer {
  const request = Buffer.alloc(SIZE.lineRequest);
  request.writeUInt32LE(offset, OFFSET.requestOffsets);
  request.write(consumer, OFFSET.requestConsumer, NAME_SIZE - 1, 'utf8');
  config.copy(request, OFFSET.requestConfig);
  request.writeUInt32LE(1, OFFSET.requestLines);
  request.writeUInt32LE(EVENT_BUFFER, OFFSET.requestEventBuffer);
  return request;
}

/** The file descriptor that the kernel wrote into a granted line request. */
export function requestedFd(request: Buffer): number {
  return request.readInt32LE(OFFSET.requestFd);
}

/** struct gpio_v2_line_values for a request of one line. */
export function lineValues(value: Level): Buffer {
  const values = Buffer.alloc(SIZE.lineValues);
  values.writeBigUInt64LE(BigInt(value), OFFSET.valuesBits);
  values.writeBigUInt64LE(1n, OFFSET.valuesMask);
  return values;
}

/** The level in an answered struct gpio_v2_line_values. */
export function levelOf(values: Buffer): Level {
  return (values.readBigUInt64LE(OFFSET.valuesBits) & 1n) === 0n ? 0 : 1;
}

/** Number of lines, from struct gpiochip_info. */
export function chipLines(info: Buffer): number {
  return info.readUInt32LE(OFFSET.chipLines);
}

/** struct gpio_v2_line_info as a question about one line. */
export function lineInfo(offset: number): Buffer {
  const info = Buffer.alloc(SIZE.lineInfo);
  info.writeUInt32LE(offset, OFFSET.lineInfoOffset);
  return info;
}

/** Name of a line from its answered info; empty when it has none. */
export function lineName(info: Buffer): string {
  return text(info, OFFSET.lineInfoName);
}

/** Who holds a line, and its direction, from its answered info. A holder may have no name. */
export function lineUse(info: Buffer): { holder: string | null; direction: 'input' | 'output' } {
  const flags = info.readBigUInt64LE(OFFSET.lineInfoFlags);
  return {
    holder: (flags & FLAG.used) === 0n ? null : text(info, OFFSET.lineInfoConsumer),
    direction: (flags & FLAG.output) === 0n ? 'input' : 'output',
  };
}

/** What the kernel's driver calls the chip, from struct gpiochip_info. */
export function chipLabel(info: Buffer): string {
  return text(info, OFFSET.chipLabel);
}

/** A name in a structure: it ends at the first zero. */
function text(info: Buffer, offset: number): string {
  const bytes = info.subarray(offset, offset + NAME_SIZE);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? NAME_SIZE : end);
}

/** An edge, as the kernel saw it. */
export interface LineEdge {
  /** The level after it. */
  readonly level: Level;
  /** Steady time of the kernel (CLOCK_MONOTONIC), in nanoseconds. */
  readonly time: bigint;
  /** Its number among the edges of this line, from 1 on: gaps are edges that were lost. 32 bits. */
  readonly number: number;
}

/** The edges in what was read from a line: an array of struct gpio_v2_line_event. */
export function lineEdges(read: Buffer): LineEdge[] {
  const edges: LineEdge[] = [];
  for (let at = 0; at + SIZE.lineEvent <= read.length; at += SIZE.lineEvent)
    edges.push({
      level: read.readUInt32LE(at + OFFSET.eventId) === EVENT_RISING_EDGE ? 1 : 0,
      time: read.readBigUInt64LE(at + OFFSET.eventTime),
      number: read.readUInt32LE(at + OFFSET.eventLineNumber),
    });
  return edges;
}

/** How a line of a chip is found: by one of the two. */
interface FoundLine {
  readonly offset?: number | undefined;
  readonly name?: string | undefined;
}

/**
 * The offset of each line. Names are looked up only when there are any.
 * @throws an errno exception: ENXIO when the chip has no line of this name
 */
export function chipOffsets(io: DeviceIo, chip: number, lines: readonly FoundLine[]): number[] {
  const names = new Map<string, number>();
  if (lines.some(({ name }) => name !== undefined)) {
    const info = Buffer.alloc(SIZE.chipInfo);
    io.ioctlPointer(chip, GPIO_GET_CHIPINFO, info);
    for (let offset = 0; offset < chipLines(info); offset++) {
      const line = lineInfo(offset);
      io.ioctlPointer(chip, GPIO_V2_GET_LINEINFO, line);
      const name = lineName(line);
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
