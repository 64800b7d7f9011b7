import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiveBuffer } from './receiveBuffer.ts';

test('should return what came, in order, once', () => {
  const buffer = new ReceiveBuffer(8);
  buffer.push(Uint8Array.of(1, 2));
  buffer.push(Uint8Array.of(3));
  assert.equal(buffer.length, 3);
  assert.deepEqual([...buffer.take()], [1, 2, 3]);
  assert.deepEqual([...buffer.take()], []);
});

test('should keep the last bytes, whatever the sizes of the pieces', () => {
  for (let round = 0; round < 500; round++) {
    const capacity = 1 + Math.floor(Math.random() * 20);
    const buffer = new ReceiveBuffer(capacity);
    let all: number[] = [];
    for (let step = 0; step < 12; step++) {
      const piece = Array.from({ length: Math.floor(Math.random() * 30) }, () =>
        Math.floor(Math.random() * 256),
      );
      buffer.push(Uint8Array.from(piece));
      all = [...all, ...piece].slice(-capacity);
      assert.equal(buffer.length, all.length);
      if (Math.random() < 0.3) {
        assert.deepEqual([...buffer.take()], all);
        all = [];
      }
    }
    assert.deepEqual([...buffer.take()], all, `capacity ${capacity}`);
  }
});
