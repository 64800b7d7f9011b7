import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { GrowingLimit } from '../../recovery/growingLimit.ts';
import { retry } from './retry.ts';

describe('retry', () => {
  const clock = new FakeClock();
  const limit = new GrowingLimit(2_500);

  test('should ask until the browser obeys', async () => {
    let asked = 0;
    const answer = retry(
      clock,
      async () => {
        if (++asked < 3) throw new Error('Not attached to an active page');
        return { data: 'done' };
      },
      'no answer',
      limit,
    );
    for (let pause = 1; pause <= 2; pause++) await clock.advance(300);
    assert.deepEqual(await answer, { data: 'done' });
    assert.deepEqual([asked, clock.pending], [3, 0]);
  });

  test('should give up after five refusals, with the words of the last one', async () => {
    let asked = 0;
    const refused = assert.rejects(
      retry(clock, () => Promise.reject(new Error(`refusal ${++asked}`)), 'no answer', limit),
      /refusal 5/,
    );
    for (let pause = 1; pause <= 4; pause++) await clock.advance(300);
    await refused;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });

  test('should treat an unanswered call as lost, and say so in the end', async () => {
    let asked = 0;
    const ask = () => {
      asked++;
      return new Promise<object>(() => {});
    };
    const silent = assert.rejects(retry(clock, ask, 'no answer', limit), /no answer/);
    await clock.advance(2_400);
    assert.equal(asked, 1);
    for (let attempt = 1; attempt <= 5; attempt++) await clock.advance(2_800);
    await silent;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });

  test('should wait longer for each answer after a call whose attempts all went unanswered', async () => {
    const slow = new GrowingLimit(2_500);
    const ask = () => new Promise<object>((resolve) => clock.after(4_000, () => resolve({ data: 'late' })));
    const tries = [retry(clock, ask, 'no answer', slow).catch((error: Error) => error.message)];
    await clock.advance(20_000);
    tries.push(retry(clock, ask, 'no answer', slow).catch((error: Error) => error.message));
    await clock.advance(20_000);
    assert.deepEqual(await Promise.all(tries), ['no answer', { data: 'late' }]);
  });
});
