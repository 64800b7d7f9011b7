import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeftIds } from './leftIds.ts';

test('should report a viewer that left once, within 30 seconds', () => {
  let now = 0;
  const ids = new LeftIds(() => now);
  ids.add('a');
  ids.add('b');
  now = 29_999;
  assert.deepEqual([ids.take('a'), ids.take('a'), ids.take('never')], [true, false, false]);
  now = 30_000;
  assert.equal(ids.take('b'), false);
});

test('security: should remember no more than 64 viewers that left', () => {
  const ids = new LeftIds(() => 0);
  for (let index = 0; index < 65; index++) ids.add(`viewer-${index}`);
  assert.deepEqual([ids.take('viewer-0'), ids.take('viewer-1'), ids.take('viewer-64')], [false, true, true]);
});
