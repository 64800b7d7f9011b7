import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { RateLimits } from './admission.ts';

test('security: should let through ten calls a minute from each address, and more as time passes', async () => {
  const clock = new FakeClock();
  const limits = new RateLimits(clock);
  const take = (address: string, count: number): number =>
    Array.from({ length: count }, () => limits.take(address, 'invite')).filter(Boolean).length;
  assert.equal(take('192.0.2.1', 30), 10);
  assert.equal(take('192.0.2.2', 30), 10);
  await clock.advance(12_000);
  assert.equal(take('192.0.2.1', 30), 2);
  assert.equal(limits.take('192.0.2.1', 'other'), true);
  assert.equal(take('127.0.0.1', 30), 30);
});

test('security: should remember no more than 1,000 addresses', () => {
  const limits = new RateLimits(new FakeClock());
  for (let at = 0; at < 3_000; at++) limits.take(`10.0.${at >> 8}.${at & 255}`, 'invite');
  assert.equal(limits.size, 1_000);
});
