import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { RateLimit } from './rateLimit.ts';

describe('a limit in windows of time', () => {
  test('should let so many pass in each window', async () => {
    const clock = new FakeClock();
    const rate = new RateLimit({ clock, limit: 2, windowMs: 100 });
    const three = () => [rate.take(), rate.take(), rate.take()];
    assert.deepEqual(three(), [true, true, false]);
    await clock.advance(99);
    assert.deepEqual(three(), [false, false, false]);
    await clock.advance(1);
    assert.deepEqual(three(), [true, true, false]);
    assert.equal(clock.pending, 0);
  });

  test('should tell at the end of a window how many did not pass, and nothing where all did', async () => {
    const clock = new FakeClock();
    const dropped: number[] = [];
    const rate = new RateLimit({ clock, limit: 2, windowMs: 100, onDropped: (count) => dropped.push(count) });
    rate.take();
    await clock.advance(50);
    for (let i = 0; i < 5; i++) rate.take();
    await clock.advance(49);
    assert.deepEqual(dropped, []);
    await clock.advance(1);
    assert.deepEqual(dropped, [4]);
    rate.take();
    await clock.advance(1_000);
    assert.deepEqual(dropped, [4]);
  });

  test('should tell it even when the timer is late, and only once', () => {
    const clock = new FakeClock();
    const dropped: number[] = [];
    const rate = new RateLimit({ clock, limit: 1, windowMs: 100, onDropped: (count) => dropped.push(count) });
    for (let i = 0; i < 3; i++) rate.take();
    clock.stall(1_000);
    assert.equal(rate.take(), true);
    assert.deepEqual(dropped, [2]);
    assert.equal(clock.pending, 0);
  });
});
