import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rtpPacket } from '../../testing/scriptedCamera.ts';
import { ReorderWindow } from './reorderWindow.ts';

/** Pushes sequence numbers, one millisecond apart unless `[sequence, at]` says when. @returns what came out. */
function order(...input: readonly (number | readonly [number, number])[]): number[] {
  const output: number[] = [];
  const window = new ReorderWindow((packet) => output.push(packet.readUInt16BE(2)));
  for (const [index, item] of input.entries()) {
    const [sequence, at] = typeof item === 'number' ? [item, index] : item;
    window.push(rtpPacket(sequence, 0, true, Buffer.from([1])), at);
  }
  return output;
}

test('should put packets back into order, also over the wrap-around', () => {
  assert.deepEqual(order(65_534, 0, 65_535, 2, 1, 3), [65_534, 65_535, 0, 1, 2, 3]);
});

test('should drop a packet that comes twice or too late', () => {
  assert.deepEqual(order(1, 1, 3, 3, 2, 2, 4, 1), [1, 2, 3, 4]);
});

test('should give up a lost packet when sixteen later ones came', () => {
  const later = Array.from({ length: 17 }, (_, index) => index + 3);
  assert.deepEqual(order(1, ...later.slice(0, 16)), [1]);
  assert.deepEqual(order(1, ...later), [1, ...later]);
});

test('should give up a lost packet after 60 ms', () => {
  assert.deepEqual(order([1, 0], [3, 10], [4, 60]), [1]);
  assert.deepEqual(order([1, 0], [3, 10], [4, 80]), [1, 3, 4]);
});

test('should follow a camera that begins again', () => {
  assert.deepEqual(order(40_000, 40_002, 7, 8), [40_000, 40_002, 7, 8]);
});

test('should drop what is too short to be RTP', () => {
  const window = new ReorderWindow(() => assert.fail('delivered'));
  window.push(Buffer.from([0x80]), 0);
});
