import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';
import { GopCache } from './gopCache.ts';

const packet = (payload: Buffer, startsKeyFrame = false): VideoPacket => ({
  payload,
  timestamp: 0,
  marker: true,
  startsKeyFrame,
  isRepeated: false,
});

/** A group of packets of different lengths, with other bytes for each. */
function group(count: number, seed: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => Buffer.alloc(1 + ((i * 379 + seed) % 1_200), i + seed));
}

test('should keep each group unchanged, longer and shorter ones in turn, whatever becomes of the chunks', () => {
  const cache = new GopCache();
  for (const [seed, count] of [900, 40, 1_500, 1, 700].entries()) {
    const payloads = group(count, seed);
    for (const [index, payload] of payloads.entries()) {
      const chunk = Buffer.from(payload);
      cache.add(packet(chunk, index === 0));
      chunk.fill(0xee);
    }
    assert.equal(cache.packets.length, count);
    for (const [index, payload] of payloads.entries()) {
      assert.ok(cache.packets[index]!.payload.equals(payload), `packet ${index} of group ${seed}`);
    }
  }
});

test('should be another array with each group, so that a reader sees that its packets are gone', () => {
  const cache = new GopCache();
  cache.add(packet(Buffer.from('first'), true));
  const before = cache.packets;
  cache.add(packet(Buffer.from('second')));
  assert.equal(cache.packets, before);
  cache.add(packet(Buffer.from('third'), true));
  assert.notEqual(cache.packets, before);
  assert.deepEqual(
    cache.packets.map(({ payload }) => payload.toString()),
    ['third'],
  );
});

test('should take no new memory for the next groups of the same size', () => {
  const cache = new GopCache();
  const memoryOfGroup = (): Set<ArrayBufferLike> => {
    for (const [index, payload] of group(900, 1).entries()) cache.add(packet(payload, index === 0));
    return new Set(cache.packets.map(({ payload }) => payload.buffer));
  };
  const first = memoryOfGroup();
  assert.ok(first.size > 1);
  for (let next = 0; next < 2; next++) {
    assert.ok([...memoryOfGroup()].every((memory) => first.has(memory)));
  }
});
