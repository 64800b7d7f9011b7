import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { GrowingLimit } from '../../recovery/growingLimit.ts';
import { withTimeLimit } from './withTimeout.ts';

describe('GrowingLimit', () => {
  test('should double with each try that is cut off, up to sixteen times its first length', () => {
    const limit = new GrowingLimit(20_000);
    const limits = Array.from({ length: 7 }, () => {
      const { ms } = limit;
      limit.missed();
      return ms / 1_000;
    });
    assert.deepEqual(limits, [20, 40, 80, 160, 320, 320, 320]);
  });

  test('should keep what a slow try needed, and go back to its first length after a quick one', () => {
    const limit = new GrowingLimit(1_000);
    limit.missed();
    limit.missed();
    limit.met(1_001);
    assert.equal(limit.ms, 4_000);
    limit.met(1_000);
    assert.equal(limit.ms, 1_000);
  });

  test('should grow until a late answer is in time', async () => {
    const clock = new FakeClock();
    const limit = new GrowingLimit(1_000);
    const slow = () => new Promise<string>((resolve) => clock.after(3_500, () => resolve('late')));
    const answers: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const answer = withTimeLimit(clock, limit, slow());
      await clock.advance(4_000);
      answers.push(await answer);
    }
    assert.deepEqual(answers, [undefined, undefined, 'late', 'late']);
    const quick = withTimeLimit(clock, limit, Promise.resolve('at once'));
    assert.equal(await quick, 'at once');
    assert.equal(limit.ms, 1_000);
    await clock.advance(4_000);
    assert.equal(clock.pending, 0);
  });
});
