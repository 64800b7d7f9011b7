import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import * as uapi from './gpioChipUapi.ts';

/** Each of our values with the C expression that yields it from the kernel's header. */
const EXPRESSIONS: readonly (readonly [number | bigint, string])[] = [
  [uapi.GPIO_GET_CHIPINFO, 'GPIO_GET_CHIPINFO_IOCTL'],
  [uapi.GPIO_V2_GET_LINEINFO, 'GPIO_V2_GET_LINEINFO_IOCTL'],
  [uapi.GPIO_V2_GET_LINE, 'GPIO_V2_GET_LINE_IOCTL'],
  [uapi.GPIO_V2_LINE_SET_CONFIG, 'GPIO_V2_LINE_SET_CONFIG_IOCTL'],
  [uapi.GPIO_V2_LINE_GET_VALUES, 'GPIO_V2_LINE_GET_VALUES_IOCTL'],
  [uapi.GPIO_V2_LINE_SET_VALUES, 'GPIO_V2_LINE_SET_VALUES_IOCTL'],
  [uapi.SIZE.chipInfo, 'sizeof(struct gpiochip_info)'],
  [uapi.SIZE.lineInfo, 'sizeof(struct gpio_v2_line_info)'],
  [uapi.SIZE.lineRequest, 'sizeof(struct gpio_v2_line_request)'],
  [uapi.SIZE.lineConfig, 'sizeof(struct gpio_v2_line_config)'],
  [uapi.SIZE.lineValues, 'sizeof(struct gpio_v2_line_values)'],
  [uapi.OFFSET.chipLabel, 'offsetof(struct gpiochip_info, label)'],
  [uapi.OFFSET.chipLines, 'offsetof(struct gpiochip_info, lines)'],
  [uapi.OFFSET.lineInfoName, 'offsetof(struct gpio_v2_line_info, name)'],
  [uapi.OFFSET.lineInfoConsumer, 'offsetof(struct gpio_v2_line_info, consumer)'],
  [uapi.OFFSET.lineInfoFlags, 'offsetof(struct gpio_v2_line_info, flags)'],
  [uapi.OFFSET.lineInfoOffset, 'offsetof(struct gpio_v2_line_info, offset)'],
  [uapi.OFFSET.requestOffsets, 'offsetof(struct gpio_v2_line_request, offsets)'],
  [uapi.OFFSET.requestConsumer, 'offsetof(struct gpio_v2_line_request, consumer)'],
  [uapi.OFFSET.requestConfig, 'offsetof(struct gpio_v2_line_request, config)'],
  [uapi.OFFSET.requestLines, 'offsetof(struct gpio_v2_line_request, num_lines)'],
  [uapi.OFFSET.requestFd, 'offsetof(struct gpio_v2_line_request, fd)'],
  [uapi.OFFSET.configFlags, 'offsetof(struct gpio_v2_line_config, flags)'],
  [uapi.OFFSET.configAttributeCount, 'offsetof(struct gpio_v2_line_config, num_attrs)'],
  [uapi.OFFSET.configAttributes, 'offsetof(struct gpio_v2_line_config, attrs)'],
  [uapi.OFFSET.attributeId, 'offsetof(struct gpio_v2_line_config_attribute, attr.id)'],
  [uapi.OFFSET.attributeValues, 'offsetof(struct gpio_v2_line_config_attribute, attr.values)'],
  [uapi.OFFSET.attributeMask, 'offsetof(struct gpio_v2_line_config_attribute, mask)'],
  [uapi.OFFSET.requestEventBuffer, 'offsetof(struct gpio_v2_line_request, event_buffer_size)'],
  [uapi.SIZE.lineEvent, 'sizeof(struct gpio_v2_line_event)'],
  [uapi.OFFSET.eventTime, 'offsetof(struct gpio_v2_line_event, timestamp_ns)'],
  [uapi.OFFSET.eventId, 'offsetof(struct gpio_v2_line_event, id)'],
  [uapi.OFFSET.eventLineNumber, 'offsetof(struct gpio_v2_line_event, line_seqno)'],
  [uapi.FLAG.edgeRising, 'GPIO_V2_LINE_FLAG_EDGE_RISING'],
  [uapi.FLAG.edgeFalling, 'GPIO_V2_LINE_FLAG_EDGE_FALLING'],
  [uapi.ATTRIBUTE_DEBOUNCE, 'GPIO_V2_LINE_ATTR_ID_DEBOUNCE'],
  [uapi.EVENT_RISING_EDGE, 'GPIO_V2_LINE_EVENT_RISING_EDGE'],
  [uapi.OFFSET.valuesBits, 'offsetof(struct gpio_v2_line_values, bits)'],
  [uapi.OFFSET.valuesMask, 'offsetof(struct gpio_v2_line_values, mask)'],
  [uapi.FLAG.used, 'GPIO_V2_LINE_FLAG_USED'],
  [uapi.FLAG.activeLow, 'GPIO_V2_LINE_FLAG_ACTIVE_LOW'],
  [uapi.FLAG.input, 'GPIO_V2_LINE_FLAG_INPUT'],
  [uapi.FLAG.output, 'GPIO_V2_LINE_FLAG_OUTPUT'],
  [uapi.FLAG.openDrain, 'GPIO_V2_LINE_FLAG_OPEN_DRAIN'],
  [uapi.FLAG.openSource, 'GPIO_V2_LINE_FLAG_OPEN_SOURCE'],
  [uapi.FLAG.pullUp, 'GPIO_V2_LINE_FLAG_BIAS_PULL_UP'],
  [uapi.FLAG.pullDown, 'GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN'],
  [uapi.FLAG.biasDisabled, 'GPIO_V2_LINE_FLAG_BIAS_DISABLED'],
  [uapi.ATTRIBUTE_OUTPUT_VALUES, 'GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES'],
  [32, 'GPIO_MAX_NAME_SIZE'],
];

/** A complete request in the kernel's own structures, written by C, in hex. */
const REQUEST = `
  struct gpio_v2_line_request request;
  memset(&request, 0, sizeof(request));
  request.offsets[0] = 17;
  strcpy(request.consumer, "faceplate");
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_ACTIVE_LOW | GPIO_V2_LINE_FLAG_BIAS_PULL_UP
    | GPIO_V2_LINE_FLAG_OPEN_DRAIN;
  request.config.num_attrs = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = 1;
  request.config.attrs[0].mask = 1;
  request.num_lines = 1;
  request.event_buffer_size = 256;
  struct gpio_v2_line_values values = { .bits = 1, .mask = 1 };
  dump(&request, sizeof(request));
  dump(&values, sizeof(values));
  struct gpio_v2_line_config input;
  memset(&input, 0, sizeof(input));
  input.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
  input.num_attrs = 1;
  input.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
  input.attrs[0].attr.debounce_period_us = 20000;
  input.attrs[0].mask = 1;
  dump(&input, sizeof(input));`;

function requestOfOurs(): Buffer {
  const flags = uapi.lineFlags('output', { activeLow: true, bias: 'pull-up', drive: 'open-drain' });
  return uapi.lineRequest(17, 'faceplate', uapi.outputConfig(flags, 1));
}

const headerMissing =
  existsSync('/usr/include/linux/gpio.h') && spawnSync('gcc', ['--version']).status === 0
    ? false
    : 'gcc or the kernel headers are missing (apt install gcc linux-libc-dev): nothing to compare with';

test('should agree with the header of the kernel in every number and every byte', {
  skip: headerMissing,
}, () => {
  const folder = temporaryFolder('uapi');
  const lines = EXPRESSIONS.map(
    ([, expression]) => `  printf("%llu\\n", (unsigned long long)(${expression}));`,
  );
  const source = `#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <linux/gpio.h>
static void dump(const void *data, size_t size) {
  for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)data)[i]);
  printf("\\n");
}
int main(void) {
${lines.join('\n')}
${REQUEST}
  return 0;
}
`;
  writeFileSync(join(folder, 'uapi.c'), source);
  execFileSync('gcc', ['-o', join(folder, 'uapi'), join(folder, 'uapi.c')]);
  const printed = execFileSync(join(folder, 'uapi'), { encoding: 'utf8' }).trim().split('\n');
  for (const [index, [ours, expression]] of EXPRESSIONS.entries()) {
    assert.equal(BigInt(ours), BigInt(printed[index]!), expression);
  }
  const [request, values, input] = printed.slice(EXPRESSIONS.length);
  assert.equal(requestOfOurs().toString('hex'), request);
  assert.equal(uapi.lineValues(1).toString('hex'), values);
  assert.equal(uapi.edgeConfig(uapi.FLAG.input, 20).toString('hex'), input);
});

describe('GPIO structures', () => {
  test('should place the parts of a line request where Linux has them since 5.10', () => {
    const request = requestOfOurs();
    assert.equal(request.length, 592);
    assert.equal(request.readUInt32LE(0), 17);
    assert.equal(request.toString('latin1', 256, 266), 'faceplate\0');
    assert.equal(request.readBigUInt64LE(288), 0x14an);
    assert.equal(request.readUInt32LE(296), 1);
    assert.equal(request.readUInt32LE(320), 2);
    assert.equal(request.readBigUInt64LE(328), 1n);
    assert.equal(request.readBigUInt64LE(336), 1n);
    assert.equal(request.readUInt32LE(560), 1);
    const set = [...request.keys()].filter((index) => request[index] !== 0);
    assert.deepEqual(
      set.filter((index) => index >= 256 && index < 288),
      [256, 257, 258, 259, 260, 261, 262, 263, 264],
    );
    assert.deepEqual(
      set.filter((index) => index < 256 || index >= 288),
      [0, 288, 289, 296, 320, 328, 336, 560, 565],
      'every other byte is zero, as the kernel demands of padding',
    );
  });

  test('should cut a consumer name that is too long and keep its terminating zero', () => {
    const request = uapi.lineRequest(0, 'x'.repeat(99), uapi.lineConfig(0n));
    assert.equal(request.toString('latin1', 256, 288), `${'x'.repeat(31)}\0`);
    assert.equal(request.readUInt32LE(288), 0);
  });

  test('should set no drive and no value for an input', () => {
    const flags = uapi.lineFlags('input', { drive: 'open-drain', bias: 'pull-down' });
    assert.equal(flags, 0x204n);
    assert.equal(uapi.lineConfig(flags).readUInt32LE(8), 0);
    assert.equal(uapi.lineFlags('input', { bias: 'disabled' }), 0x404n);
    assert.equal(uapi.lineFlags('output', { drive: 'open-source' }), 0x88n);
    assert.equal(uapi.lineFlags('output', { drive: 'push-pull' }), 0x8n);
  });

  test('should read a name of full length without a terminating zero', () => {
    const info = uapi.lineInfo(5);
    assert.equal(info.readUInt32LE(64), 5);
    assert.equal(uapi.lineName(info), '');
    info.write('n'.repeat(32), 0);
    assert.equal(uapi.lineName(info), 'n'.repeat(32));
  });
});
