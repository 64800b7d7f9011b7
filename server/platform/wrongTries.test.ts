import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrongTries } from './wrongTries.ts';

test('security: should remember 10,000 addresses, and forget those that guessed longest ago', () => {
  const tries = new WrongTries(2, () => 0);
  for (let i = 0; i < 2; i++) tries.note('first');
  assert.ok(tries.isBlocked('first'));
  for (let i = 1; i < 10_000; i++) tries.note(`address ${i}`);
  assert.ok(tries.isBlocked('first'));
  tries.note('one more');
  assert.ok(!tries.isBlocked('first'));
});
