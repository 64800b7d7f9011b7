import type { Level } from '../../contract/gpio.ts';

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
export const SIZE = { chipInfo: 68, lineInfo: 256, lineRequest: 592, lineConfig: 272, lineValues: 16 };

/** Offsets in bytes from the start of the structure they belong to. */
export const OFFSET = {
  chipLines: 64,
  lineInfoName: 0,
  lineInfoOffset: 64,
  requestOffsets: 0,
  requestConsumer: 256,
  requestConfig: 288,
  requestLines: 560,
  requestFd: 588,
  configFlags: 0,
  configAttributeCount: 8,
  configAttributes: 32,
  attributeId: 0,
  attributeValues: 8,
  attributeMask: 16,
  valuesBits: 0,
  valuesMask: 8,
};

export const FLAG = {
  activeLow: 0x2n,
  input: 0x4n,
  output: 0x8n,
  openDrain: 0x40n,
  openSource: 0x80n,
  pullUp: 0x100n,
  pullDown: 0x200n,
  biasDisabled: 0x400n,
};

export const ATTRIBUTE_OUTPUT_VALUES = 2;

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

/** struct gpio_v2_line_config for a request of one line. @param value level of an output from the first moment on */
export function lineConfig(flags: bigint, value?: Level): Buffer {
  const config = Buffer.alloc(SIZE.lineConfig);
  config.writeBigUInt64LE(flags, OFFSET.configFlags);
  if (value === undefined) return config;
  config.writeUInt32LE(1, OFFSET.configAttributeCount);
  const attribute = OFFSET.configAttributes;
  config.writeUInt32LE(ATTRIBUTE_OUTPUT_VALUES, attribute + OFFSET.attributeId);
  config.writeBigUInt64LE(BigInt(value), attribute + OFFSET.attributeValues);
  config.writeBigUInt64LE(1n, attribute + OFFSET.attributeMask);
  return config;
}

/** struct gpio_v2_line_request for one line. @param consumer name that others see as the holder of the line */
export function lineRequest(offset: number, consumer: string, config: Buffer): Buffer {
  const request = Buffer.alloc(SIZE.lineRequest);
  request.writeUInt32LE(offset, OFFSET.requestOffsets);
  request.write(consumer, OFFSET.requestConsumer, NAME_SIZE - 1, 'utf8');
  config.copy(request, OFFSET.requestConfig);
  request.writeUInt32LE(1, OFFSET.requestLines);
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
  const bytes = info.subarray(OFFSET.lineInfoName, OFFSET.lineInfoName + NAME_SIZE);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? NAME_SIZE : end);
}
