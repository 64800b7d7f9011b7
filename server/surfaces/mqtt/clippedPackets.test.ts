import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClippedPackets } from './brokerStream.ts';

const LIMIT = 2 * 1024 * 1024;
const KEPT = 1_280 * 1_024;

/** A packet of a type with so many bytes after its header. */
function packet(type: number, length: number, fill = 0): Buffer {
  const size: number[] = [];
  for (let rest = length; size.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    size.push((rest % 128) + (rest >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from([type << 4, ...size]), Buffer.alloc(length, fill)]);
}

function taken(bytes: Buffer, step: number): Buffer {
  const packets = new ClippedPackets(LIMIT);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(...packets.take(bytes.subarray(at, at + step)));
  return Buffer.concat(parts);
}

describe('packets of a broker', () => {
  const small = [
    packet(2, 2),
    packet(3, 0),
    packet(3, 127, 1),
    packet(3, 128, 2),
    packet(13, 0),
    packet(3, 20_000, 3),
  ];
  const long = packet(3, LIMIT + 1, 7);
  const clipped = packet(3, KEPT, 7);

  test('should stay as they are, in chunks of any size', () => {
    const bytes = Buffer.concat(small);
    for (const step of [1, 2, 3, 127, 128, 129, 65_536])
      assert.ok(taken(bytes, step).equals(bytes), String(step));
    assert.ok(taken(packet(3, LIMIT), 60_000).equals(packet(3, LIMIT)));
  });

  test('security: should be cut short where a message is too long, and those after it stay whole', () => {
    const bytes = Buffer.concat([...small, long, ...small, long, long, packet(2, 2)]);
    const expected = Buffer.concat([...small, clipped, ...small, clipped, clipped, packet(2, 2)]);
    for (const step of [997, 65_536, bytes.length])
      assert.ok(taken(bytes, step).equals(expected), String(step));
  });

  test('security: should hold no more than the beginning of a header', () => {
    const packets = new ClippedPackets(LIMIT);
    packets.take(packet(3, 200 * 1024 * 1024).subarray(0, 100_000));
    const before = process.memoryUsage().arrayBuffers;
    for (let chunk = 0; chunk < 3_000; chunk++) packets.take(Buffer.alloc(65_536));
    assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024);
  });

  test('security: should end with what is no MQTT, and with other packets that are too long', () => {
    assert.throws(() => taken(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0xff]), 6), /its length is none/);
    assert.throws(() => taken(packet(2, LIMIT + 1), 65_536), /too long/);
  });
});
