import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { askAgain } from './askAgain.ts';

describe('askAgain', () => {
  const clock = new FakeClock();

  test('should ask until the browser obeys', async () => {
    let asked = 0;
    const answer = askAgain(
      clock,
      async () => {
        if (++asked < 3) throw new Error('Not attached to an active page');
        return { data: 'done' };
      },
      'no answer',
    );
    for (let pause = 1; pause <= 2; pause++) await clock.advance(300);
    assert.deepEqual(await answer, { data: 'done' });
    assert.deepEqual([asked, clock.pending], [3, 0]);
  });

  test('should give up after five refusals with the words of the last one', async () => {
    let asked = 0;
    const refused = assert.rejects(
      askAgain(clock, () => Promise.reject(new Error(`refusal ${++asked}`)), 'no answer'),
      /refusal 5/,
    );
    for (let pause = 1; pause <= 4; pause++) await clock.advance(300);
    await refused;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });

  test('should take a question that is not answered for a forgotten one, and say so in the end', async () => {
    let asked = 0;
    const ask = () => {
      asked++;
      return new Promise<object>(() => {});
    };
    const silent = assert.rejects(askAgain(clock, ask, 'no answer'), /no answer/);
    await clock.advance(2_400);
    assert.equal(asked, 1);
    for (let attempt = 1; attempt <= 5; attempt++) await clock.advance(2_800);
    await silent;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });
});
