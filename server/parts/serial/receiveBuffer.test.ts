import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiveBuffer } from './readers.ts';

test('should keep the last bytes at their places, whatever the sizes of the pieces', () => {
  for (let round = 0; round < 500; round++) {
    const capacity = 1 + Math.floor(Math.random() * 20);
    const buffer = new ReceiveBuffer(capacity);
    const all: number[] = [];
    for (let step = 0; step < 12; step++) {
      const piece = Array.from({ length: Math.floor(Math.random() * 30) }, () =>
        Math.floor(Math.random() * 256),
      );
      buffer.push(Uint8Array.from(piece));
      all.push(...piece);
      assert.equal(buffer.end, all.length);
      assert.equal(buffer.start, Math.max(0, all.length - capacity));
      const from = buffer.start + Math.floor(Math.random() * (buffer.end - buffer.start));
      assert.deepEqual([...buffer.copy(from, buffer.end)], all.slice(from), `capacity ${capacity}`);
    }
  }
});

test('should find bytes from a place on, also where the ring wraps', () => {
  const buffer = new ReceiveBuffer(8);
  buffer.push(Uint8Array.of(1, 13, 10, 2, 3, 4, 13));
  assert.equal(buffer.find(Uint8Array.of(13, 10), 0), 3);
  assert.equal(buffer.find(Uint8Array.of(13, 10), 3), undefined);
  buffer.push(Uint8Array.of(10, 5));
  assert.equal(buffer.find(Uint8Array.of(13, 10), 3), 8);
  assert.deepEqual([...buffer.copy(3, 8)], [2, 3, 4, 13, 10]);
});

test('should forget what arrived, and let the places go on', () => {
  const buffer = new ReceiveBuffer(4);
  buffer.push(Uint8Array.of(1, 2, 3));
  buffer.clear();
  assert.deepEqual([buffer.start, buffer.end], [3, 3]);
  buffer.push(Uint8Array.of(9));
  assert.deepEqual([...buffer.copy(3, 4)], [9]);
});
