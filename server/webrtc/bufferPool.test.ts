import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferPool } from './bufferPool.ts';

test('should reuse returned memory, for the same size only', () => {
  const pool = new BufferPool();
  const slab = pool.take(1_000);
  pool.giveBack(slab);
  assert.notEqual(pool.take(2_000), slab);
  assert.equal(pool.take(1_000), slab);
});

test('security: should never give the same memory to two users at a time', () => {
  const pool = new BufferPool();
  const first = pool.take(100);
  pool.giveBack(first);
  const taken = Array.from({ length: 20 }, () => pool.take(100));
  assert.equal(new Set(taken.map((slab) => slab.buffer)).size, 20);
});

test('should keep no more than eight, and nothing once it is cleared', () => {
  const pool = new BufferPool();
  const slabs = Array.from({ length: 12 }, () => pool.take(100));
  for (const slab of slabs) pool.giveBack(slab);
  const again = Array.from({ length: 12 }, () => pool.take(100));
  assert.equal(again.filter((slab) => slabs.includes(slab)).length, 8);
  for (const slab of again) pool.giveBack(slab);
  pool.clear();
  assert.ok(!again.includes(pool.take(100)));
});
