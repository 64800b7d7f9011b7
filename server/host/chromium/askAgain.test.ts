import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { askAgain } from './askAgain.ts';

describe('askAgain', () => {
  const clock = new FakeClock();

  test('should ask until the browser obeys', async () => {
    let asked = 0;
    const answer = askAgain(clock, async () => {
      if (++asked < 3) throw new Error('Not attached to an active page');
      return 'done';
    });
    for (let pause = 1; pause <= 2; pause++) await clock.advance(300);
    assert.equal(await answer, 'done');
    assert.deepEqual([asked, clock.pending], [3, 0]);
  });

  test('should give up after five refusals with the words of the last one', async () => {
    let asked = 0;
    const refused = assert.rejects(
      askAgain(clock, () => Promise.reject(new Error(`refusal ${++asked}`))),
      /refusal 5/,
    );
    for (let pause = 1; pause <= 4; pause++) await clock.advance(300);
    await refused;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });
});
