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

test('security: should count the addresses of one IPv6 /64 as one caller', () => {
  const tries = new WrongTries(5, () => 0);
  for (let i = 1; i <= 5; i++) tries.note(`2001:db8:1:2::${i}`);
  assert.ok(tries.isBlocked('2001:db8:1:2:ffff::1'));
  assert.ok(tries.note('2001:db8:1:2:aaaa:bbbb:cccc:dddd'));
  assert.ok(!tries.isBlocked('2001:db8:1:3::1'));
  for (let i = 1; i <= 5; i++) tries.note('::ffff:192.0.2.7');
  assert.ok(tries.isBlocked('192.0.2.7'));
  assert.ok(!tries.isBlocked('192.0.2.8'));
});
